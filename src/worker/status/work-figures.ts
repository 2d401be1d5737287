import type { Metrics } from '../../telemetry/metrics.ts'
import type { RunEnd } from '../job-run.ts'
import { UNITS_PER_USDG } from './line.ts'
import type { AgentReport } from './report.ts'
import { whyNoJobs } from './why-no-jobs.ts'

const TOKEN_DECIMALS = 18

/** Counts what an agent does, for its operator's Prometheus. */
export interface WorkFigures {
  /** @param unitsEarned payment-token units that the job should bring */
  ran(end: RunEnd, unitsEarned: bigint): void
}

export function countWork(metrics: Metrics): WorkFigures {
  const jobs = metrics.counter({
    name: 'svc_worker_jobs_total',
    help: 'Jobs that have ended here. canary: of a pool, which nobody pays for.',
    labels: ['model', 'end'],
  })
  const tokens = metrics.counter({
    name: 'svc_worker_tokens_total',
    help: 'Tokens of answers that were signed, those of canary jobs left out.',
    labels: ['model'],
  })
  const earned = metrics.counter({
    name: 'svc_worker_earned_usdg_total',
    help: 'What the jobs done should bring. What was paid is on chain.',
  })
  const firstToken = metrics.histogram({
    name: 'svc_worker_first_token_seconds',
    help: 'From accepting a job to the first text of the engine.',
    labels: ['model'],
  })
  return {
    ran: ({ model, isCanary, outputTokens, measured }, unitsEarned) => {
      const end = isCanary ? 'canary' : outputTokens === undefined ? 'failed' : 'done'
      jobs.inc({ model, end })
      if (measured) firstToken.observe({ model }, measured.firstTokenMs / 1_000)
      if (isCanary) return
      tokens.inc({ model }, outputTokens ?? 0)
      earned.inc({}, Number(unitsEarned) / UNITS_PER_USDG)
    },
  }
}

/** Shows what an agent knows of itself at the moment somebody asks. */
export function showReport(metrics: Metrics, report: () => AgentReport): void {
  const gauge = (name: `svc_${string}`, help: string, read: (of: AgentReport) => Shown) =>
    metrics.gauge({ name, help }, () => read(report()) ?? undefined)
  gauge('svc_worker_slots', 'Jobs that it takes at once.', ({ slots }) => slots)
  gauge('svc_worker_slots_busy', 'Of those the busy ones.', ({ busy }) => busy)
  gauge('svc_worker_models', 'Models that its engine serves.', ({ models }) => models.length)
  gauge(
    'svc_worker_resting_seconds',
    'For so long its pool still sets it aside; 0: it does not.',
    ({ standing }) => Math.max(0, ((standing?.restingUntil ?? 0) - Date.now()) / 1_000),
  )
  gauge(
    'svc_worker_completion_ratio',
    'Of the last jobs those that it finished, as its pool counts.',
    ({ standing }) => standing?.completionRate,
  )
  gauge(
    'svc_worker_claimable_usdg',
    'Earnings that can be claimed on chain, where a node is named.',
    ({ chain }) => chain && Number(chain.claimableUnits) / UNITS_PER_USDG,
  )
  gauge(
    'svc_worker_stake_rcompute',
    'Active stake, where a node is named.',
    ({ chain }) => chain && Number(chain.stake) / 10 ** TOKEN_DECIMALS,
  )
}

type Shown = number | null | undefined

/** What keeps an agent from being given jobs, in words; empty: nothing. */
export function whatLacks(report: AgentReport): readonly string[] {
  const { phase, trouble, standing } = report
  switch (phase) {
    case 'starting':
      return ['the agent itself: it starts']
    case 'no_models':
      return ['a model: the engine serves none, or does not answer']
    case 'dialling':
    case 'reconnecting':
      return [trouble === null ? 'a pool' : `a pool: ${trouble}`]
    case 'draining':
      return ['a reason to stay: it is going down']
    case 'connected':
      if (trouble !== null) return [trouble]
      // Retired by a vote, not listed, or not shown by a canary job: a pool that offers none has no job for it.
      return standing?.models.length === 0
        ? [`a model that its pool has jobs of: ${whyNoJobs({ ...report, busy: 0 }, Date.now())}`]
        : []
  }
}
