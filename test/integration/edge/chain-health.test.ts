import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { HeldUpBy, LaneHealth } from '../../../src/messages/lane.ts'
import type { Lane } from '../../../src/messages/subjects.ts'
import { fastClock } from '../../fakes/edge/fast-clock.ts'
import {
  call,
  chat,
  chunksOf,
  completed,
  jsonOf,
  openStage,
  type Stage,
  type StageOptions,
  settlementSent,
  WALLET,
  wellLane,
} from '../../fakes/edge/stage.ts'
import { SOON_MS, until } from '../../until.ts'

/** New jobs are refused while the chain could not lock them in time, before a credit moves. */
const Health = suite('edge: health of the lanes')

const test = (name: string, run: (stage: Stage) => Promise<void>, options: StageOptions = {}) =>
  Health(name, async () => {
    const stage = await openStage(options)
    await stage.fund(1_000_000)
    stage.play = ({ jobId }) => {
      stage.say(...chunksOf(jobId, ['Hi']), completed(jobId, ['Hi']), settlementSent(jobId))
    }
    try {
      await run(stage)
    } finally {
      await stage.close()
    }
  })

const ask = (stage: Stage, headers: object = {}) =>
  call(stage, '/v1/chat/completions', { body: chat(), headers })
const say = (stage: Stage, health: (lane: Lane) => Partial<LaneHealth>) => {
  stage.lanes = (lane) => ({ ...wellLane(lane), ...health(lane) })
}
const heldUp = (which: Lane, by: HeldUpBy, forMs: number) => (lane: Lane) =>
  lane === which ? { heldUp: { by, forMs } } : {}
const started = (stage: Stage) => stage.commands.filter(({ type }) => type === 'StartJob').length

async function untilStatus(stage: Stage, status: number): Promise<Response> {
  let answered = ''
  return until(
    () => `a ${status}, but ${answered}`,
    async () => {
      stage.summary() // pools that fall silent are another reason for a 503
      const response = await ask(stage)
      if (response.status === status) return response
      answered = `${response.status} ${await response.text()}`
      return undefined
    },
  )
}

test('the chain is down: 503 with words and a hint, and no credit moves', async (stage) => {
  assert.is((await ask(stage)).status, 200)
  const balance = () => stage.ledger.balance(WALLET)
  say(stage, heldUp('lock', 'chain', 7_000))
  await untilStatus(stage, 503)
  const before = await balance()
  const begun = started(stage)
  const response = await ask(stage)
  assert.is(response.status, 503)
  assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d?$/)
  const { error } = await jsonOf(response)
  assert.is(error.code, 'service_unavailable')
  assert.match(
    error.message,
    /settlement chain does not answer or makes no blocks.*Nothing was charged/,
  )
  assert.is(started(stage), begun, 'no job is begun')
  assert.equal(await balance(), before)

  stage.lanes = wellLane
  await untilStatus(stage, 200)
})

for (const [by, words] of [
  ['gas_funds', /Payments are held up on our side/],
  ['role', /Payments are held up on our side/],
  ['signer', /Payments are held up on our side/],
  ['fee_cap', /far behind/],
] as const) {
  test(`held up by ${by}: the caller is told as much as concerns them`, async (stage) => {
    say(stage, heldUp('lock', by, 20_000))
    const { error } = await jsonOf(await untilStatus(stage, 503))
    assert.match(error.message, words)
  })
}

test('a lock that waits too long: the chain is far behind', async (stage) => {
  say(stage, (lane) => (lane === 'lock' ? { waiting: 5, oldestMs: 11_000 } : {}))
  const { error } = await jsonOf(await untilStatus(stage, 503))
  assert.match(error.message, /far behind/)
})

test('the settle lane has more time, but not for ever', async (stage) => {
  say(stage, heldUp('settle', 'settle_cap', 20_000))
  await new Promise((resolve) => setTimeout(resolve, 1_200))
  assert.is((await ask(stage)).status, 200)
  say(stage, heldUp('settle', 'settle_cap', 31_000))
  await untilStatus(stage, 503)
})

test('other requests are answered all the same', async (stage) => {
  say(stage, heldUp('lock', 'chain', 60_000))
  await untilStatus(stage, 503)
  for (const path of ['/v1/models', '/v1/account']) {
    assert.is((await call(stage, path)).status, 200, path)
  }
  const unknown = await call(stage, '/v1/chat/completions', { body: chat({ model: 'none' }) })
  assert.is(unknown.status, 400, 'what is wrong with a request is told first')
})

test('a request that was taken on goes on, and its retry joins it', async (stage) => {
  const { play } = stage
  let finish = () => {}
  stage.play = (job) => {
    finish = () => play(job)
    stage.play = play
  }
  const headers = { 'idempotency-key': 'once' }
  const first = ask(stage, headers)
  await until('the job is begun', () => started(stage) === 1, SOON_MS)
  say(stage, heldUp('lock', 'chain', 60_000))
  await untilStatus(stage, 503)
  const before = started(stage)
  const retried = ask(stage, headers)
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  finish()
  assert.equal([(await first).status, (await retried).status], [200, 200])
  assert.is(started(stage), before, 'no second job')
})

test(
  'no settlement host at all: refused after some seconds, taken on when one is heard',
  async (stage) => {
    const { publish } = stage.bus
    stage.bus.publish = (subject, message) => {
      if (subject !== 'lanes.health') publish.call(stage.bus, subject, message)
    }
    const keepPool = setInterval(() => stage.summary(), 20)
    try {
      const { error } = await jsonOf(await untilStatus(stage, 503))
      assert.match(error.message, /held up/)
      stage.bus.publish = publish
      await untilStatus(stage, 200)
    } finally {
      clearInterval(keepPool)
    }
  },
  { clock: fastClock(20) },
)

Health.run()
