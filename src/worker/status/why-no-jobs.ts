import {
  LeftOutModel_Reason,
  type ModelStanding,
  Standing_State,
} from '../../../proto/gen/svc/worker/v1/worker.ts'
import { AGENT_VERSION } from '../../domain/version.ts'
import { LEFT_OUT } from '../advice.ts'
import type { AgentReport } from './report.ts'

/** Below this a worker is tried less than others, and its operator should look at its log. */
const COMPLETION_RATE_LOW = 0.9

/**
 * Why this worker has nothing to do, or undefined where it has. Price is never the reason: prices
 * are the list prices of the tiers, the same for every worker.
 * @param nowMs Unix milliseconds
 */
export function whyNoJobs(report: AgentReport, nowMs: number): string | undefined {
  if (report.busy > 0) return undefined
  switch (report.phase) {
    case 'starting':
      return 'it starts: the engine loads its models'
    case 'no_models':
      return 'the upstream has no model to serve: is it running, and is --upstream right?'
    case 'dialling':
      return report.trouble ? `not connected: ${report.trouble}` : 'not connected to a pool yet'
    case 'reconnecting':
      return 'the connection broke: dialling the same pool again'
    case 'draining':
      return 'draining: no more offers are taken'
    case 'connected':
      return report.trouble ?? outdated(report) ?? whyIdle(report, nowMs)
  }
}

function whyIdle({ standing, leftOut, models }: AgentReport, nowMs: number): string {
  if (leftOut.length > 0 && leftOut.length === models.length) {
    return leftOut.map(({ id, reason }) => `${id}: ${LEFT_OUT[reason]}`).join('; ')
  }
  if (!standing) return 'just connected: the pool has not said yet'
  if (standing.state === Standing_State.STATE_RESTING) {
    const seconds = Math.max(1, Math.ceil((standing.restingUntil - nowMs) / 1_000))
    return `set aside for ${seconds} s: ${standing.reason}`
  }
  if (standing.state === Standing_State.STATE_DRAINING) return 'the pool takes no more jobs'
  if (standing.models.length === 0 && standing.reason) return standing.reason
  const wanted = standing.models.filter((model) => model.jobsPerMinute > 0 || model.queued > 0)
  if (wanted.length === 0) {
    return [`no demand: ${demandOf(standing.models)}`, standing.reason].filter(Boolean).join('; ')
  }
  return [standing.reason, whyOthers(wanted), failing(standing.completionRate)]
    .filter(Boolean)
    .join('; ')
}

function demandOf(models: readonly ModelStanding[]): string {
  const names = models.map(({ id }) => id).join(', ')
  return names === ''
    ? 'this pool offers none of your models'
    : `nobody asked this pool for ${names} in the last minute`
}

/** Where there is demand, somebody else serves it. */
function whyOthers(wanted: readonly ModelStanding[]): string {
  return wanted
    .map(({ id, jobsPerMinute, workers, busy, slots, rank, ranked }) => {
      const others = `${id}: ${jobsPerMinute} jobs a minute, ${workers} workers, ${busy} of ${slots} slots busy`
      if (rank === 0) return `${others}, your latency is not measured yet`
      return `${others}, you are number ${rank} of ${ranked} by time to first token`
    })
    .join('; ')
}

const failing = (rate: number | undefined): string =>
  rate === undefined || rate >= COMPLETION_RATE_LOW
    ? ''
    : `you finish only ${Math.round(rate * 100)} % of your jobs: see the log`

/** A worker of an old version still gets jobs, but of a model that only a new one serves it does not. */
function outdated({ standing, leftOut }: AgentReport): string | undefined {
  const latest = standing?.agentLatest
  const unknown = leftOut.some(({ reason }) => reason === LeftOutModel_Reason.UNRECOGNIZED)
  return unknown && latest && latest !== AGENT_VERSION
    ? `this agent is version ${AGENT_VERSION}, the pool knows ${latest}: update it`
    : undefined
}
