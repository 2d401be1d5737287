import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LeftOutModel_Reason, Standing_State } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { makeMetrics } from '../../../src/telemetry/metrics.ts'
import type { RunEnd } from '../../../src/worker/job-run.ts'
import type { AgentReport } from '../../../src/worker/status/report.ts'
import { countWork, showReport, whatLacks } from '../../../src/worker/status/work-figures.ts'

const Figures = suite('worker: figures')

const DONE: RunEnd = {
  model: 'Qwen/Qwen3-8B',
  isCanary: false,
  outputTokens: 300,
  engineFailed: false,
  measured: { promptTokens: 9, firstTokenMs: 40, outputTokens: 300, generationMs: 900 },
}

const REPORT: AgentReport = {
  worker: '0x00000000000000000000000000000000000000aa' as AgentReport['worker'],
  version: '0.1.0',
  phase: 'connected',
  pool: 'pool.example.org:443',
  poolName: 'pool-1',
  workerId: 7,
  models: ['Qwen/Qwen3-8B', 'own'],
  leftOut: [],
  slots: 8,
  busy: 3,
  jobsDone: 0,
  jobsFailed: 0,
  unitsEarned: '0',
  trouble: null,
  standing: null,
  chain: null,
}

/** The series of this agent, without what Node and Prometheus say besides. */
async function series(metrics: ReturnType<typeof makeMetrics>): Promise<Map<string, number>> {
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('svc_'))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

Figures('count jobs by their end, and what they should bring', async () => {
  const metrics = makeMetrics()
  const figures = countWork(metrics)
  figures.ran(DONE, 60_000n)
  figures.ran(DONE, 60_000n)
  figures.ran({ ...DONE, outputTokens: undefined, measured: undefined }, 0n)
  figures.ran({ ...DONE, isCanary: true }, 0n)
  const shown = await series(metrics)
  const model = 'model="Qwen/Qwen3-8B"'
  assert.is(shown.get(`svc_worker_jobs_total{${model},end="done"}`), 2)
  assert.is(shown.get(`svc_worker_jobs_total{${model},end="failed"}`), 1)
  assert.is(shown.get(`svc_worker_jobs_total{${model},end="canary"}`), 1)
  assert.is(shown.get(`svc_worker_tokens_total{${model}}`), 600)
  assert.is(shown.get('svc_worker_earned_usdg_total'), 0.12)
  assert.is(shown.get(`svc_worker_first_token_seconds_count{${model}}`), 3)
})

Figures('show the agent as it is, and nothing of what nobody has said', async () => {
  const metrics = makeMetrics()
  let report = REPORT
  showReport(metrics, () => report)
  const before = await series(metrics)
  assert.is(before.get('svc_worker_slots'), 8)
  assert.is(before.get('svc_worker_slots_busy'), 3)
  assert.is(before.get('svc_worker_models'), 2)
  assert.is(before.get('svc_worker_resting_seconds'), 0)
  for (const unknown of ['completion_ratio', 'claimable_usdg', 'stake_rcompute']) {
    assert.not.ok(before.has(`svc_worker_${unknown}`), unknown)
  }
  const chain = { claimableUnits: '1250000', stake: '1000500000000000000000' }
  const standing = { completionRate: 0.75, restingUntil: Date.now() + 60_000 }
  report = { ...REPORT, chain, standing } as AgentReport
  const after = await series(metrics)
  assert.is(after.get('svc_worker_claimable_usdg'), 1.25)
  assert.is(after.get('svc_worker_stake_rcompute'), 1000.5)
  assert.is(after.get('svc_worker_completion_ratio'), 0.75)
  assert.ok(after.get('svc_worker_resting_seconds')! > 50)
})

Figures('what an agent lacks is said, and a trouble with it', () => {
  assert.equal(whatLacks(REPORT), [])
  assert.equal(whatLacks({ ...REPORT, phase: 'dialling' }), ['a pool'])
  const trouble = 'the pool is full'
  assert.equal(whatLacks({ ...REPORT, phase: 'reconnecting', trouble }), [`a pool: ${trouble}`])
  assert.match(whatLacks({ ...REPORT, phase: 'no_models' })[0]!, /engine/)
  assert.match(whatLacks({ ...REPORT, phase: 'draining' })[0]!, /going down/)
  assert.equal(whatLacks({ ...REPORT, trouble: 'the disk is full' }), ['the disk is full'])
})

Figures('an agent that its pool offers no job of any model lacks one', () => {
  const lacks = (more: object) => whatLacks({ ...REPORT, ...more } as AgentReport)
  const standing = { state: Standing_State.STATE_READY, reason: '', models: [] }
  const reason = 'no jobs of Qwen/Qwen3-8B, since its canary job failed: its engine failed'
  assert.match(lacks({ standing: { ...standing, reason } })[0]!, reason)
  const leftOut = REPORT.models.map((id) => ({ id, reason: LeftOutModel_Reason.REASON_RETIRED }))
  assert.match(lacks({ standing, leftOut })[0]!, 'a vote has retired it')
  // Nobody asks for it, or it rests: it gets jobs all the same.
  assert.equal(lacks({ standing: { ...standing, models: [{}] } }), [])
})

Figures.run()
