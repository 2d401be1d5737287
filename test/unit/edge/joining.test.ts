import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RefusalError } from '../../../src/api/http/errors.ts'
import { outputHash } from '../../../src/domain/hash.ts'
import { type JobId, makeJobId } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { makeJoining } from '../../../src/edge/chat/joining.ts'
import type { JobReply, JoinHolder } from '../../../src/messages/job-reply.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { hasAnswered, hasFailed } from '../../fakes/edge/retried.ts'
import { ESCROW_TX, viewOf, WALLET } from '../../fakes/edge/stage.ts'

/** Its first try has set credits aside at another edge, and nobody here knows more of it. */
const Joining = suite('edge: what became of the request that a retried one repeats')

const JOB = makeJobId(toUnixMs(1_800_000_000_000), new Uint8Array(16))
const CALLER = {
  wallet: WALLET,
  keyCreatedAt: toUnixMs(0),
  key: { hash: outputHash('key'), proof: 'proof' },
}
const KEY = {
  ...{ key: 'k:1', bodyDigest: 'body', joins: true },
  ...{ graceMs: 10_000, returnsMidAnswer: true },
}
const ORDER = {
  prompt: { model: 'a/model', messages: [], sampling: {} },
  ...{ maxTokens: undefined, stream: false, includeUsage: false },
}
const UNKNOWN: JobReply = { type: 'unknown_job' }
const TOMBSTONE: JobReply = { type: 'refused', reason: 'abandoned' }
/** Its journal has lost the answer. */
const GONE: JobReply = {
  ...{ type: 'accepted', view: viewOf(JOB, { status: 'settled', escrowTx: ESCROW_TX, block: 7 }) },
  ending: {
    ...{ type: 'failed', jobId: JOB, escrowTx: ESCROW_TX },
    refusal: { code: 'answer_gone', message: 'It is not kept any more.' },
  },
}
const RUNS: JobReply = { type: 'accepted', view: viewOf(JOB), ending: null }

/** A network in which jobs, and the store, answer as they are told to. */
function stage() {
  const clock = new ManualClock()
  const beganAt = clock.monotonic()
  const said: string[] = []
  const world = {
    found: { jobId: JOB, bodyDigest: 'body' } as JoinHolder | undefined,
    join: (): JobReply | undefined => UNKNOWN,
    abandon: (): JobReply | undefined => TOMBSTONE,
  }
  const say = (what: string, jobId: JobId, answer: () => JobReply | undefined) => {
    said.push(`${what} ${jobId} ${clock.monotonic() - beganAt}`)
    return Promise.resolve(answer())
  }
  const shared = {
    enter: () => ({ seat: 'taken' }),
    job: { jobId: JOB },
    followed: { failed: false, learn: (reply: JobReply) => said.push(`learn ${reply.type}`) },
  }
  const joining = makeJoining({
    ...{ clock, log: makeLog('test', 'silent'), jobWindowMs: 120_000 },
    ledger: { joinable: async () => world.found },
    balances: { glance: async () => undefined, glanceAfter: async () => undefined },
    jobs: {
      join: (jobId: JobId) => say('join', jobId, world.join),
      abandon: (jobId: JobId) => say('abandon', jobId, world.abandon),
    },
    sharedJobs: { findByKey: () => undefined, find: () => undefined, open: () => shared },
  } as unknown as Parameters<typeof makeJoining>[0])
  const ask = async () => {
    const earlier = joining.join(CALLER, ORDER, KEY).catch((error: unknown) => error)
    await clock.advance(10_000)
    return earlier
  }
  const abandoned = () => said.filter((word) => word.startsWith('abandon'))
  return { world, said, ask, abandoned, passed: () => clock.monotonic() - beganAt }
}

Joining(
  'its edge died before the job began: it never will, and a new one may take its place',
  async () => {
    const { ask, abandoned } = stage()
    assert.equal(await ask(), { type: 'failed', jobId: JOB, returning: 0n })
    assert.equal(abandoned().length, 1)
    const [, jobId, at] = abandoned()[0]!.split(' ')
    assert.is(jobId, JOB)
    assert.ok(Number(at) >= 3_000 && Number(at) < 3_500, `given up after ${at} ms`)
  },
)

Joining(
  'a job that begins within that time is joined, and is not taken from its edge',
  async () => {
    const { world, said, ask, abandoned, passed } = stage()
    world.join = () => (passed() < 2_000 ? UNKNOWN : RUNS)
    const earlier = (await ask()) as { type: string }
    assert.is(earlier.type, 'joined')
    assert.is(said.at(-1), 'learn accepted')
    assert.equal(abandoned(), [])
  },
)

Joining('a job that begins at the last moment is joined all the same', async () => {
  const { world, ask } = stage()
  world.abandon = () => {
    world.join = () => RUNS
    return RUNS
  }
  assert.is(((await ask()) as { type: string }).type, 'joined')
})

Joining('its edge gave the credits back, and the key with them: there is none', async () => {
  const { world, ask, abandoned } = stage()
  world.join = () => {
    world.found = undefined
    return UNKNOWN
  }
  assert.equal(await ask(), { type: 'none' })
  assert.equal(abandoned(), [])
})

Joining('nobody answers for the job: 503, and nothing takes its place', async () => {
  for (const silent of ['join', 'abandon'] as const) {
    const { world, ask } = stage()
    world[silent] = () => undefined
    const error = await ask()
    assert.instance(error, RefusalError)
    assert.is((error as RefusalError).refusal.code, 'service_unavailable')
  }
})

Joining('what is joined, and what is asked for anew', async () => {
  const refunded = { status: 'refunded', escrowTx: ESCROW_TX } as const
  for (const [what, reply, earlier] of [
    ['answered', hasAnswered(JOB), 'joined'],
    [
      'answered, and paid back since',
      { ...hasAnswered(JOB), view: viewOf(JOB, refunded) },
      'joined',
    ],
    [
      'answered and paid for, as only the chain knows: it is told that its text is gone',
      GONE,
      'joined',
    ],
    ['failed before its lock', hasFailed(JOB), 0n],
    ['failed, and its lock is on its way back', hasFailed(JOB, { escrowTx: ESCROW_TX }), 8n],
    ['failed, and its lock is back', hasFailed(JOB, { escrowTx: ESCROW_TX, block: 7 }), 0n],
    ['timed out, which is not told yet', { ...RUNS, view: viewOf(JOB, refunded) }, 8n],
  ] as const) {
    const { world, ask } = stage()
    world.join = () => reply
    const found = (await ask()) as { type: string; returning?: bigint }
    assert.is(found.type === 'joined' ? found.type : found.returning, earlier, what)
  }
})

Joining.run()
