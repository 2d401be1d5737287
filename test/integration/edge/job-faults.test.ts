import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { fastClock } from '../../fakes/edge/fast-clock.ts'
import {
  accept,
  call,
  chat,
  chunksOf,
  completed,
  jsonOf,
  KEY,
  MODEL,
  openStage,
  REFUND_TX,
  type Stage,
  settlementSent,
  viewOf,
} from '../../fakes/edge/stage.ts'
import { SOON_MS, until } from '../../until.ts'

const Faults = suite<{ stage: Stage }>('edge: jobs that fall silent')
Faults.before.each(async (context) => {
  context.stage = await openStage()
})
Faults.after.each(async ({ stage }) => stage.close())

const TEXTS = ['Hel', 'lo', ' you\n']

Faults(
  'a pool may ask for the prompt while its request waits, and only then',
  async ({ stage }) => {
    const ask = (jobId: string) =>
      stage.bus.request(SUBJECTS.edgePrompt(SUBJECTS.edgeInbox('test')), { jobId }, 10_000)
    let prompt: unknown
    stage.play = async ({ jobId }) => {
      prompt = await ask(jobId)
      stage.say(...chunksOf(jobId, TEXTS), completed(jobId, TEXTS), settlementSent(jobId))
    }
    await call(stage, '/v1/chat/completions', { body: chat() })
    assert.is((prompt as { model: string }).model, MODEL)
    assert.is(await ask(stage.commands[0]!.jobId), null)
  },
)

Faults('a job may ask whether a caller has seen some of its text', async ({ stage }) => {
  const ask = (jobId: string) =>
    stage.bus.request(SUBJECTS.edgeInbox('test'), { type: 'ask_text_sent', jobId }, 10_000)
  for (const stream of [true, false]) {
    const seen: unknown[] = []
    stage.play = async ({ jobId }) => {
      const [first, ...rest] = chunksOf(jobId, TEXTS)
      seen.push(await ask(jobId))
      stage.say(first!)
      // In order on one bus: the edge has heard the text by then.
      seen.push(await ask(jobId))
      stage.say(...rest, completed(jobId, TEXTS), settlementSent(jobId))
    }
    await (await call(stage, '/v1/chat/completions', { body: chat({ stream }) })).text()
    assert.equal(seen, [false, stream], stream ? 'a stream' : 'a whole answer')
  }
  assert.is(await ask(stage.commands[0]!.jobId), false, 'nobody waits for it any more')
})

Faults('of an attempt that was given up a caller sees nothing any more', async ({ stage }) => {
  const again = ['Good', ' day']
  stage.play = async ({ jobId }) => {
    const question = { type: 'ask_text_sent', jobId, attempt: 1 }
    assert.is(await stage.bus.request(SUBJECTS.edgeInbox('test'), question, 10_000), false)
    stage.say(...chunksOf(jobId, TEXTS), ...chunksOf(jobId, again, 2))
    stage.say(completed(jobId, again, 2), settlementSent(jobId))
  }
  const answer = await call(stage, '/v1/chat/completions', { body: chat({ stream: true }) })
  const text = await answer.text()
  assert.match(text, '[DONE]')
  assert.not.match(text, 'Hel')
})

Faults('a caller that hangs up cancels its job', async ({ stage }) => {
  for (const stream of [false, true]) {
    stage.commands.length = 0
    const abort = new AbortController()
    const asked = fetch(`${stage.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(chat({ stream })),
      signal: abort.signal,
    }).catch(() => undefined)
    await until('the job was started', () => stage.commands.length === 1, SOON_MS)
    abort.abort()
    await asked
    // An edge that has heard nothing for a while asks the job first.
    const isCancelled = () => stage.commands.some(({ type }) => type === 'CancelJob')
    await until('the job was cancelled', isCancelled, SOON_MS)
  }
})

Faults('a job nobody answers for is reported, asked for again, and then given up', async () => {
  const stage = await openStage({ clock: fastClock(5) })
  try {
    const deaf = await openStageWithoutActor(stage)
    assert.is(deaf.status, 503)
    assert.ok(deaf.headers.get('retry-after'))
    const orphans = stage.bus.published.filter(({ subject }) => subject === SUBJECTS.orphan)
    assert.ok(orphans.length >= 5)
    assert.equal(Object.keys(orphans[0]?.message ?? {}), ['partition'])
  } finally {
    await stage.close()
  }
})

/** The bus as it is when the partition of the job has no owner. */
async function openStageWithoutActor(stage: Stage): Promise<Response> {
  const request = stage.bus.request.bind(stage.bus)
  stage.bus.request = (subject, message, timeoutMs) =>
    request(subject.startsWith('cmd.') ? 'nobody' : subject, message, timeoutMs)
  return call(stage, '/v1/chat/completions', { body: chat() })
}

Faults('a start whose answer was lost is repeated', async ({ stage }) => {
  let deaf = 1
  stage.actor = (command) =>
    command.type === 'StartJob' && deaf-- > 0 ? undefined : accept(command)
  stage.play = ({ jobId }) => {
    if (deaf < 0)
      stage.say(...chunksOf(jobId, ['x']), completed(jobId, ['x']), settlementSent(jobId))
  }
  assert.is((await call(stage, '/v1/chat/completions', { body: chat() })).status, 200)
  assert.equal(new Set(stage.commands.map(({ jobId }) => jobId)).size, 1)
})

/** The edge is cut off while it begins a job, so that it cannot know whether there is one. */
const inDoubt = async (work: (stage: Stage) => Promise<void>) => {
  const stage = await openStage({ clock: fastClock(5) })
  try {
    await work(stage)
  } finally {
    await stage.close()
  }
}

Faults('begun or not, nobody says: the job is asked, and its answer is given', () =>
  inDoubt(async (stage) => {
    stage.actor = ({ type, jobId }) => {
      if (type !== 'AbandonJob') return undefined
      stage.outputs.answers.set(jobId, 'all of it')
      return { type: 'accepted', view: viewOf(jobId), ending: completed(jobId, ['all of it']) }
    }
    const response = await call(stage, '/v1/chat/completions', { body: chat() })
    assert.is(response.status, 200)
    assert.is((await jsonOf(response)).choices[0].message.content, 'all of it')
  }),
)

Faults('begun or not, the job never was: refused, and never to be paid', () =>
  inDoubt(async (stage) => {
    stage.actor = ({ type }) => (type === 'AbandonJob' ? { type: 'unknown_job' } : undefined)
    const response = await call(stage, '/v1/chat/completions', { body: chat() })
    assert.is(response.status, 503)
    assert.match((await jsonOf(response)).error.message, /could not be taken on/)
    await until('the job was taken back', () => cancelled(stage) === true, SOON_MS)
  }),
)

Faults('begun after its host said that it never was: its answer is given', () =>
  inDoubt(async (stage) => {
    stage.actor = ({ type, jobId }) => {
      if (type === 'GetJob') return { type: 'unknown_job' }
      if (type !== 'AbandonJob') return undefined
      stage.outputs.answers.set(jobId, 'all of it')
      return { type: 'accepted', view: viewOf(jobId), ending: completed(jobId, ['all of it']) }
    }
    const response = await call(stage, '/v1/chat/completions', { body: chat() })
    assert.is(response.status, 200)
  }),
)

Faults('begun or not, nobody ever says: the caller is told that it is not known', () =>
  inDoubt(async (stage) => {
    stage.actor = () => undefined
    const response = await call(stage, '/v1/chat/completions', { body: chat() })
    assert.is(response.status, 503)
    assert.match((await jsonOf(response)).error.message, /not known/)
    await until('the job was taken back', () => cancelled(stage) === true, SOON_MS)
  }),
)

/** Whether the job was cancelled as one that nobody pays for. */
const cancelled = ({ commands }: Stage): boolean | undefined =>
  commands.flatMap((command) => (command.type === 'CancelJob' ? [command.torn] : []))[0]

Faults('an edge that hears nothing asks the job', async () => {
  const stage = await openStage({ clock: fastClock(5) })
  try {
    stage.actor = (command) => {
      if (command.type !== 'GetJob') return accept(command)
      stage.outputs.answers.set(command.jobId, 'all of it')
      return {
        type: 'accepted',
        view: viewOf(command.jobId),
        ending: completed(command.jobId, ['all of it']),
      }
    }
    const response = await call(stage, '/v1/chat/completions', { body: chat() })
    assert.is((await jsonOf(response)).choices[0].message.content, 'all of it')
  } finally {
    await stage.close()
  }
})

// Only a refund is told as a timeout: the job may as well be completed and charged.
const NEVER_ENDED = [
  { knows: 'refunded', status: 504 },
  { knows: 'processing', status: 500 },
  { knows: 'nothing', status: 500 },
] as const

for (const { knows, status } of NEVER_ENDED) {
  Faults(`a job that never ends for its caller, ${knows} when asked last: ${status}`, async () => {
    // A pool must speak each 3 s, which are 600 ms here.
    const stage = await openStage({ clock: fastClock(5), jobWindowMs: 6_000 })
    try {
      stage.actor = (command) => {
        if (command.type === 'StartJob') return accept(command)
        if (knows === 'nothing') return { type: 'unknown_job' }
        const refundTx = knows === 'refunded' ? REFUND_TX : null
        const view = viewOf(command.jobId, { status: knows, refundTx })
        return { type: 'accepted', view, ending: null }
      }
      const response = await call(stage, '/v1/chat/completions', { body: chat() })
      const { error } = await jsonOf(response)
      assert.is(response.status, status)
      if (knows !== 'refunded') {
        assert.is(error.code, 'internal_error')
        return
      }
      assert.is(error.code, 'job_timeout')
      assert.is(error.details.refund_tx, REFUND_TX)
      assert.ok(error.details.credits_refunded >= 8)
    } finally {
      await stage.close()
    }
  })
}

Faults.run()
