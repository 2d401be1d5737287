import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  LeftOutModel_Reason,
  type ModelStanding,
  type Standing,
  Standing_State,
} from '../../../proto/gen/svc/worker/v1/worker.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { AGENT_VERSION } from '../../../src/domain/version.ts'
import { statusLine, tokens } from '../../../src/worker/status/line.ts'
import type { AgentReport } from '../../../src/worker/status/report.ts'
import { LiveBlock } from '../../../src/worker/status/screen.ts'
import { whyNoJobs } from '../../../src/worker/status/why-no-jobs.ts'

const Why = suite('why no jobs')

const NOW = 1_800_000_000_000
const MODEL = 'Qwen/Qwen3-8B'

const model = (more: Partial<ModelStanding> = {}): ModelStanding => ({
  id: MODEL,
  workers: 3,
  slots: 12,
  busy: 2,
  queued: 0,
  jobsPerMinute: 0,
  rank: 0,
  ranked: 0,
  ...more,
})
const standing = (more: Partial<Standing> = {}): Standing => ({
  state: Standing_State.STATE_READY,
  restingUntil: 0,
  reason: '',
  jobsOffered: 0,
  jobsFinished: 0,
  jobsFailed: 0,
  jobsRefused: 0,
  models: [model()],
  agentLatest: AGENT_VERSION,
  ...more,
})
const report = (more: Partial<AgentReport> = {}): AgentReport => ({
  worker: toAddress(`0x${'11'.repeat(20)}`),
  version: AGENT_VERSION,
  phase: 'connected',
  pool: 'pool.example:443',
  poolName: 'pool-1',
  workerId: 7,
  models: [MODEL],
  leftOut: [],
  slots: 4,
  busy: 0,
  jobsDone: 12,
  jobsFailed: 0,
  unitsEarned: '720000',
  trouble: null,
  standing: standing(),
  chain: null,
  ...more,
})
const why = (more: Partial<AgentReport>) => whyNoJobs(report(more), NOW) ?? ''

Why('a worker with a job needs no reason', () => {
  assert.is(whyNoJobs(report({ busy: 1, phase: 'no_models' }), NOW), undefined)
})

Why('the nearest cause is told first', () => {
  assert.match(why({ phase: 'no_models' }), 'upstream')
  assert.match(why({ phase: 'dialling', trouble: 'the pool is full' }), 'the pool is full')
  assert.match(why({ phase: 'draining' }), 'draining')
  assert.match(why({ standing: null }), 'not said yet')
})

Why('a model that the catalogue does not list gets no jobs', () => {
  const leftOut = [{ id: MODEL, reason: LeftOutModel_Reason.REASON_NOT_LISTED }]
  assert.match(why({ leftOut }), 'catalogue')
})

Why('one that is set aside hears for how long and why', () => {
  const state = Standing_State.STATE_RESTING
  const resting = standing({ state, restingUntil: NOW + 4_000, reason: 'its last 3 jobs failed' })
  assert.is(why({ standing: resting }), 'set aside for 4 s: its last 3 jobs failed')
})

Why('no demand is said with the model, and latency with the rank', () => {
  assert.match(why({}), `no demand: nobody asked this pool for ${MODEL}`)
  const busy = { jobsPerMinute: 30, rank: 3, ranked: 3 }
  const slow = standing({ models: [model(busy)], completionRate: 0.5 })
  assert.match(why({ standing: slow }), '30 jobs a minute')
  assert.match(why({ standing: slow }), 'number 3 of 3')
  assert.match(why({ standing: slow }), '50 %')
  const unmeasured = standing({ models: [model({ jobsPerMinute: 1 })] })
  assert.match(why({ standing: unmeasured }), 'not measured yet')
})

Why('a canary job that is not passed is the reason, alone or beside others', () => {
  const reason = 'no jobs of a/b, since its canary job failed: it lied'
  assert.is(why({ standing: standing({ models: [], reason }) }), reason)
  assert.match(why({ standing: standing({ reason }) }), /^no demand: .*; no jobs of a\/b/)
})

Why('an old agent is told of the new one', () => {
  const leftOut = [{ id: 'a/b', reason: LeftOutModel_Reason.UNRECOGNIZED }]
  const old = { standing: standing({ agentLatest: '9.9.9' }), leftOut, models: [MODEL, 'a/b'] }
  assert.match(why(old), 'the pool knows 9.9.9')
  assert.match(statusLine(report({ standing: standing({ agentLatest: '9.9.9' }) }), NOW), '9.9.9')
})

Why('the line says who pays how much for what', () => {
  const chain = {
    workerId: 7,
    payee: toAddress(`0x${'22'.repeat(20)}`),
    deactivated: false,
    stake: `${1_000n * 10n ** 18n}`,
    minimumStake: '1',
    unbonding: '0',
    withdrawableAt: 0,
    shareBps: 8_500,
    isBoosted: true,
    earnedUnits: '12500000',
    claimableUnits: '2500000',
    tokenUnits: '0',
    gasWei: '0',
  }
  assert.is(
    statusLine(report({ busy: 2, chain, jobsFailed: 1 }), NOW),
    'connected to pool-1 · 2/4 slots busy · 12 jobs done, 1 failed · 72.00 credits earned · ' +
      '2.50 USDG claimable of 12.50 · stake 1000 (share 85 %)',
  )
  assert.is(tokens('1500000000000000000'), '1.5000')
})

Why(
  'a live block is rewritten in one write, wrapped to the terminal, and only when it changes',
  () => {
    const writes: string[] = []
    const block = new LiveBlock((text) => writes.push(text))
    block.show(['one', 'two'], 80)
    block.show(['one', 'two'], 80)
    block.print('a log line')
    block.show(['no jobs: see the log'], 11)
    block.show(['x'.repeat(200)], 11)
    assert.equal(writes, [
      'one\ntwo\n',
      '\x1b[2F\x1b[Ja log line\none\ntwo\n',
      '\x1b[2F\x1b[Jno jobs:\nsee the\nlog\n',
      `\x1b[3F\x1b[J${`${'x'.repeat(10)}\n`.repeat(7)}…\n`,
    ])
  },
)

Why.run()
