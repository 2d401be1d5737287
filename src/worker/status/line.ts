import { AGENT_VERSION } from '../../domain/version.ts'
import type { AgentReport } from './report.ts'
import { whyNoJobs } from './why-no-jobs.ts'

const UNITS_PER_CREDIT = 10_000
export const UNITS_PER_USDG = 1_000_000

/** An agent's state in one line, for people. */
export const statusLine = (report: AgentReport, nowMs: number): string =>
  statusLines(report, nowMs).join(' · ')

/** The same, with the reason for having no jobs in a line of its own. */
export function statusLines(report: AgentReport, nowMs: number): string[] {
  const { busy, slots, jobsDone, jobsFailed } = report
  const failed = jobsFailed > 0 ? `, ${jobsFailed} failed` : ''
  const why = whyNoJobs(report, nowMs)
  const line = [
    connection(report),
    `${busy}/${slots} slots busy`,
    `${jobsDone} jobs done${failed}`,
    `${credits(report.unitsEarned)} credits earned`,
    ...chain(report),
    ...version(report),
  ].join(' · ')
  return why === undefined ? [line] : [line, `no jobs: ${why}`]
}

function connection({ phase, pool, poolName }: AgentReport): string {
  if (phase === 'connected') return `connected to ${poolName ?? pool}`
  if (phase === 'reconnecting') return `reconnecting to ${pool}`
  if (phase === 'draining') return `draining from ${poolName ?? pool}`
  return 'not connected'
}

function chain({ chain }: AgentReport): string[] {
  if (!chain) return []
  return [
    `${usdg(chain.claimableUnits)} USDG claimable of ${usdg(chain.earnedUnits)}`,
    `stake ${tokens(chain.stake)} (share ${chain.shareBps / 100} %)`,
  ]
}

function version({ standing }: AgentReport): string[] {
  const latest = standing?.agentLatest
  return latest && latest !== AGENT_VERSION ? [`version ${latest} is out`] : []
}

/** Payment-token units as credits, with two decimals. */
const credits = (units: string): string => (Number(units) / UNITS_PER_CREDIT).toFixed(2)
/** Payment-token units as USDG. */
export const usdg = (units: string): string => (Number(units) / UNITS_PER_USDG).toFixed(2)
/** Units of the governance token (18 decimals) as whole tokens; four decimals, rounded down. */
export function tokens(units: string): string {
  const tenThousandths = BigInt(units) / 10n ** 14n
  const [whole, part] = [tenThousandths / 10_000n, tenThousandths % 10_000n]
  return part === 0n ? `${whole}` : `${whole}.${part.toString().padStart(4, '0')}`
}
