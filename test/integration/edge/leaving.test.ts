import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { CallersLeft } from '../../../src/messages/edge.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { fastClock } from '../../fakes/edge/fast-clock.ts'
import { openChat, readAll } from '../../fakes/edge/raw-http.ts'
import {
  ask,
  beginning,
  counted,
  hasAnswered,
  named,
  said,
  started,
  TEXT,
  TEXTS,
  whenJoined,
  wholeAnswer,
} from '../../fakes/edge/retried.ts'
import {
  accept,
  chat,
  chunksOf,
  completed,
  jsonOf,
  openStage,
  type Stage,
  settlementSent,
  viewOf,
} from '../../fakes/edge/stage.ts'
import { SOON_MS, until } from '../../until.ts'

/** Callers that leave and come back, here or at another edge. Time runs eight times as fast. */
const Leaving = suite<{ stage: Stage; other: Stage }>('edge: callers that come back')
const SPEED = 8
Leaving.before.each(async (context) => {
  const clock = fastClock(SPEED)
  context.stage = await openStage({ clock })
  context.other = await openStage({ clock, beside: context.stage, edgeId: 'other' })
})
Leaving.after.each(async ({ stage, other }) => {
  await Promise.all([stage.close(), other.close()])
})

const inHouseMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms / SPEED))
const inRealMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
/** Where something must happen within a second of the house: a busy machine needs that second whole. */
async function inSlowHouse(play: (stage: Stage) => Promise<void>, speed = 1): Promise<void> {
  const stage = await openStage({ clock: fastClock(speed) })
  try {
    await play(stage)
  } finally {
    await stage.close()
  }
}
const cancels = (stage: Stage) => said(stage, 'CancelJob')

/** A request whose caller leaves once its job runs and `before` has happened. */
async function leave(
  stage: Stage,
  { headers, body = chat(), before = () => {} }: LeaveOptions,
): Promise<void> {
  const leaving = new AbortController()
  const count = started(stage).length
  const asked = ask(stage, headers, body, leaving.signal).catch(() => undefined)
  await beginning(stage, count + 1)
  await before()
  await new Promise((resolve) => setTimeout(resolve, 50))
  leaving.abort()
  await asked
}
interface LeaveOptions {
  readonly headers: object
  readonly body?: ReturnType<typeof chat>
  readonly before?: () => void | Promise<void>
}
const firstText = (stage: Stage) => () =>
  stage.say(chunksOf(started(stage).at(-1)!.jobId, TEXTS)[0]!)

Leaving('without a key the job is cancelled at once', async ({ stage }) => {
  await leave(stage, { headers: {} })
  await until('the job was cancelled', () => cancels(stage).length === 1, SOON_MS)
  // One that was waited for is torn.
  assert.equal([cancels(stage)[0]!.torn, cancels(stage)[0]!.replyTo], [undefined, 'edge.test'])
})

for (const [what, headers, graceMs] of [
  ['a named request: ten seconds', named(), 10_000],
  ['a first try: one second', counted(0), 1_000],
] as const) {
  Leaving(`nobody comes back to ${what}, and what nobody saw is free`, async ({ stage }) => {
    const leftAt = performance.now()
    await leave(stage, { headers })
    await until('the job was cancelled', () => cancels(stage).length === 1, SOON_MS)
    const waitedMs = (performance.now() - leftAt) * SPEED
    assert.ok(waitedMs >= graceMs, `waited ${waitedMs} ms`)
    assert.is(cancels(stage)[0]!.torn, true)
  })
}

Leaving(
  'nobody comes back to an answer that had begun: it is settled as usual',
  async ({ stage }) => {
    await leave(stage, { headers: named(), before: firstText(stage) })
    await until('the job was cancelled', () => cancels(stage).length === 1, SOON_MS)
    assert.is(cancels(stage)[0]!.torn, undefined)
  },
)

Leaving('a counting client does not come back to a stream it has seen', async ({ stage }) => {
  const body = chat({ stream: true })
  await leave(stage, { headers: counted(0), body, before: firstText(stage) })
  await until('the job was cancelled', () => cancels(stage).length === 1, SOON_MS)
})

Leaving('who comes back in time gets the answer, and nothing is cancelled', () =>
  inSlowHouse(async (stage) => {
    await leave(stage, { headers: counted(0) })
    const retried = ask(stage, counted(1))
    await inRealMs(3_000)
    wholeAnswer(stage, started(stage)[0]!.jobId)
    assert.is((await retried).status, 200)
    assert.equal([started(stage).length, cancels(stage).length], [1, 0])
  }),
)

Leaving(
  'a job that ends in the grace is not cancelled, and is answered later',
  async ({ stage }) => {
    whenJoined(stage, hasAnswered)
    await leave(stage, { headers: named() })
    wholeAnswer(stage, started(stage)[0]!.jobId)
    await inHouseMs(12_000)
    assert.is(cancels(stage).length, 0)
    const retried = await ask(stage, named())
    assert.is((await jsonOf(retried)).choices[0].message.content, TEXT)
  },
)

Leaving('of two that wait here, one leaves: the other has its answer', async ({ stage }) => {
  const body = chat({ stream: true })
  const leaving = await (async () => {
    const first = openChat(stage.url, body, named())
    await beginning(stage)
    firstText(stage)()
    return first
  })()
  const staying = await openChat(stage.url, body, named())
  leaving.on('error', () => {}).destroy()
  await inHouseMs(15_000)
  assert.is(cancels(stage).length, 0)
  const { jobId } = started(stage)[0]!
  stage.say(...chunksOf(jobId, TEXTS).slice(1), completed(jobId, TEXTS), settlementSent(jobId))
  assert.match(await readAll(staying), /" you".*\[DONE\]/s)
})

Leaving('a job that runs is joined at another edge, which is told its end', async (world) => {
  const { stage, other } = world
  await leave(stage, { headers: named(), before: firstText(stage) })
  const retried = ask(other, named())
  await until('the job was joined', () => said(stage, 'JoinJob').length === 1, SOON_MS)
  const [{ jobId } = { jobId: undefined }] = started(stage)
  assert.is(said(stage, 'JoinJob')[0]!.replyTo, SUBJECTS.edgeInbox('other'))
  stage.outputs.answers.set(jobId!, TEXT)
  other.say(completed(jobId!, TEXTS), settlementSent(jobId!))
  const response = await retried
  assert.is((await jsonOf(response)).choices[0].message.content, TEXT)
  assert.is(response.headers.get('x-svc-job-id'), jobId)
  assert.is(started(stage).length, 1)
})

Leaving('both edges answer, though the job tells only the newer one', async ({ stage, other }) => {
  const first = ask(stage, named())
  await beginning(stage)
  const { jobId } = started(stage)[0]!
  const second = ask(other, named())
  await until('the job was joined', () => said(stage, 'JoinJob').length === 1, SOON_MS)
  stage.actor = (command) => (command.type === 'GetJob' ? hasAnswered(jobId) : accept(command))
  stage.outputs.answers.set(jobId, TEXT)
  stage.say(...chunksOf(jobId, TEXTS))
  other.say(completed(jobId, TEXTS))
  for (const response of await Promise.all([first, second])) {
    assert.is((await jsonOf(response)).choices[0].message.content, TEXT)
    assert.ok(response.headers.get('x-svc-settlement-tx'), 'asked for, where it was not told')
  }
})

Leaving('the one at the newer edge leaves: the older edge takes the job back', async (world) => {
  const { stage, other } = world
  const staying = ask(stage, named())
  await beginning(stage)
  const { jobId } = started(stage)[0]!
  const leaving = new AbortController()
  const second = ask(other, named(), chat(), leaving.signal).catch(() => undefined)
  await until('the job was joined', () => said(stage, 'JoinJob').length === 1, SOON_MS)
  await inHouseMs(500)
  leaving.abort()
  await second
  await until('the job was taken back', () => said(stage, 'JoinJob').length === 2, SOON_MS)
  assert.is(said(stage, 'JoinJob')[1]!.replyTo, SUBJECTS.edgeInbox('test'))
  await until('the newer edge gave it up', () => cancels(stage).length === 1, SOON_MS)
  const types = stage.commands.map(({ type }) => type)
  assert.ok(types.lastIndexOf('JoinJob') < types.indexOf('CancelJob'), String(types))
  assert.is(cancels(stage)[0]!.replyTo, SUBJECTS.edgeInbox('other'))
  assert.is(cancels(stage)[0]!.torn, undefined, 'its text went elsewhere: it cannot say')
  wholeAnswer(stage, jobId)
  assert.is((await staying).status, 200)
})

/** A request at the newer edge that joins the job and leaves again. */
async function passBy({ stage, other }: { stage: Stage; other: Stage }): Promise<void> {
  const leaving = new AbortController()
  const passing = ask(other, named(), chat(), leaving.signal).catch(() => undefined)
  await until('the job was joined', () => said(stage, 'JoinJob').length === 1, SOON_MS)
  await inHouseMs(500)
  leaving.abort()
  await passing
  await inHouseMs(500)
}

Leaving('who comes back to the older edge takes the job back from the newer one', async (world) => {
  const { stage } = world
  await leave(stage, { headers: named() })
  await passBy(world)
  assert.is(said(stage, 'JoinJob').length, 1, 'nobody waits for it')
  stage.actor = (command) => (command.type === 'JoinJob' ? hasAnswered(command.jobId) : undefined)
  stage.outputs.answers.set(started(stage)[0]!.jobId, TEXT)
  assert.is(
    (await ask(stage, named())).status,
    200,
    'what was told at the newer edge is told again',
  )
  assert.is(said(stage, 'JoinJob')[1]!.replyTo, SUBJECTS.edgeInbox('test'))
})

Leaving(
  'what was seen at the newer edge is not free at the one that took the job back',
  async (world) => {
    const { stage } = world
    await leave(stage, { headers: named(), before: () => passBy(world) })
    await until('the job was given up', () => cancels(stage).length === 2, SOON_MS)
    const [newer, older] = cancels(stage)
    assert.is(newer!.replyTo, SUBJECTS.edgeInbox('other'))
    assert.equal([older!.replyTo, older!.torn], [SUBJECTS.edgeInbox('test'), undefined])
    const left = stage.bus.published.filter(({ subject }) => subject === SUBJECTS.edgesLeft)
    const edges = left.map(({ message }) => (message as CallersLeft).replyTo)
    assert.equal(edges, [newer!.replyTo, older!.replyTo], 'who waits at a third one hears of it')
  },
)

Leaving('a job whose edge is about to begin it is waited for', async ({ stage, other }) => {
  let unknown = 2
  whenJoined(stage, (jobId) =>
    unknown-- > 0
      ? { type: 'unknown_job' }
      : {
          type: 'accepted',
          view: viewOf(jobId, { createdAt: started(stage)[0]!.at }),
          ending: null,
        },
  )
  await leave(stage, { headers: named() })
  const retried = ask(other, named())
  await until('the job was joined', () => unknown < 0, SOON_MS)
  const { jobId } = started(stage)[0]!
  stage.outputs.answers.set(jobId, TEXT)
  other.say(completed(jobId, TEXTS), settlementSent(jobId))
  assert.is((await retried).status, 200)
  assert.is(started(stage).length, 1)
})

Leaving('a job that its edge never began gets a tombstone and a successor', async (world) => {
  const { stage, other } = world
  stage.actor = (command) => {
    if (command.type === 'StartJob') return accept(command)
    return command.type === 'CancelJob' ? accept(command) : { type: 'unknown_job' }
  }
  await leave(stage, { headers: named() })
  const retried = ask(other, named())
  await beginning(stage, 2)
  const [first, second] = started(stage)
  assert.is(said(stage, 'AbandonJob')[0]!.jobId, first!.jobId)
  assert.is(second!.replyTo, SUBJECTS.edgeInbox('other'))
  wholeAnswer(other, second!.jobId)
  assert.is((await retried).status, 200)
})

Leaving('a tombstone that is there already makes way at once', async ({ stage, other }) => {
  whenJoined(stage, () => ({ type: 'refused', reason: 'the job was abandoned before it began' }))
  await leave(stage, { headers: named() })
  const retried = ask(other, named())
  await beginning(stage, 2)
  wholeAnswer(other, started(stage)[1]!.jobId)
  assert.is((await retried).status, 200)
})

Leaving('nobody answers for the job: 503 after a few seconds', async ({ stage, other }) => {
  await leave(stage, { headers: named() })
  const request = stage.bus.request.bind(stage.bus)
  stage.bus.request = (subject, message, timeoutMs) =>
    request(subject.startsWith('cmd.') ? 'nobody' : subject, message, timeoutMs)
  const retried = await ask(other, named())
  assert.equal([retried.status, (await jsonOf(retried)).error.code], [503, 'service_unavailable'])
})

Leaving('a job that could not be begun is free, never begins, and a retry may still find it', () =>
  inSlowHouse(async (stage) => {
    const { request } = stage.bus
    const deaf = request.bind(stage.bus)
    stage.bus.request = (subject, message, timeoutMs) =>
      deaf(subject.startsWith('cmd.') ? 'nobody' : subject, message, timeoutMs)
    const refused = await ask(stage, counted(0))
    assert.is(refused.status, 503)
    stage.bus.request = deaf
    const retried = ask(stage, counted(1))
    await until('the job was joined', () => said(stage, 'JoinJob').length === 1, SOON_MS)
    const { jobId } = said(stage, 'JoinJob')[0]!
    wholeAnswer(stage, jobId)
    assert.is((await retried).status, 200)
    await inRealMs(2_500)
    assert.equal(
      said(stage, 'AbandonJob').map((said) => said.jobId),
      [jobId],
    )
    assert.is(cancels(stage).length, 0)

    stage.bus.request = (subject, message, timeoutMs) =>
      deaf(subject.startsWith('cmd.') ? 'nobody' : subject, message, timeoutMs)
    assert.is((await ask(stage, counted(0))).status, 503)
    stage.bus.request = deaf
    await until('the job was cancelled', () => cancels(stage).length === 1, SOON_MS)
    assert.is(cancels(stage)[0]!.torn, true)
  }, 2),
)

Leaving('an edge that goes down gives up what it joined before it has gone', async (world) => {
  const { stage, other } = world
  await leave(stage, { headers: named() })
  const retried = ask(other, named()).catch(() => undefined)
  await until('the job was joined', () => said(stage, 'JoinJob').length === 1, SOON_MS)
  await other.edge.stop()
  const inbox = SUBJECTS.edgeInbox('other')
  const given = cancels(stage).filter(({ replyTo }) => replyTo === inbox)
  assert.is(given.length, 1)
  await retried
})

Leaving('an edge that goes down waits for nobody', () =>
  inSlowHouse(async (stage) => {
    await leave(stage, { headers: named() })
    assert.is(cancels(stage).length, 0)
    const closing = stage.close()
    // Nobody else would cancel it for ten seconds.
    await until('the job was cancelled', () => cancels(stage).length === 1, 8_000)
    await closing
  }),
)

Leaving.run()
