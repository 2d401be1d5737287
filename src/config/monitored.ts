import type { Metrics } from '../telemetry/metrics.ts'
import { type Monitor, openMonitor } from '../telemetry/monitor.ts'
import { listening } from './listening.ts'
import type { Role } from './process.ts'

interface Options {
  /** MONITOR_PORT 0: nobody looks. */
  readonly config: { readonly MONITOR_HOST: string; readonly MONITOR_PORT: number }
  readonly metrics: Metrics
}

/** A role that has come up. */
export interface StartedRole extends Role {
  /** What it needs and lacks, in words; empty: it can work. */
  missing(): Promise<readonly string[]>
  /** Whether it goes down unasked, where it may. */
  isLeaving?(): boolean
}

/** A role that comes up, and may have to wait for its servers. */
export interface Starting {
  /** Its figures, which the port shows from the beginning. */
  readonly metrics: Metrics
  /** Waits for something, and has /readyz name it meanwhile. */
  until<T>(what: string, isThere: Promise<T>): Promise<T>
}

/** What is left of a start once the servers answer. */
const REST = 'its streams and buckets in NATS, which an actor host makes'

/**
 * Starts a role beside its monitoring port. The port is the first to open, so that whoever looks is told
 * what a start waits for, and it says as well when the role is going.
 * @throws {OperatorError} where the port cannot be had; and what `start` throws
 */
export async function monitored(
  { config, metrics }: Options,
  start: (starting: Starting) => Promise<StartedRole>,
): Promise<Role> {
  if (config.MONITOR_PORT === 0) return start({ metrics, until: (_, isThere) => isThere })
  const awaited = new Set<string>()
  let isLeaving = () => false
  let missing = async (): Promise<readonly string[]> => (awaited.size > 0 ? [...awaited] : [REST])
  const lacks = async () => (isLeaving() ? ['a reason to stay: it is going down'] : missing())
  countReady(metrics, async () => (isLeaving() ? undefined : missing()))
  tellTime(metrics)
  const monitor = await open(config, metrics, lacks)
  const role = await start({
    metrics,
    until: async (what, isThere) => {
      awaited.add(what)
      return isThere.finally(() => awaited.delete(what))
    },
  }).catch(async (error: unknown) => {
    await monitor.close()
    throw error
  })
  missing = () => role.missing()
  isLeaving = () => role.isLeaving?.() ?? false
  return {
    leave: async () => {
      isLeaving = () => true
      await role.leave?.()
    },
    stop: async () => {
      isLeaving = () => true
      await role.stop()
      await monitor.close()
    },
  }
}

function open(
  { MONITOR_HOST: host, MONITOR_PORT: port }: Options['config'],
  metrics: Metrics,
  missing: () => Promise<readonly string[]>,
): Promise<Monitor> {
  return listening('MONITOR_HOST, MONITOR_PORT', () =>
    openMonitor({ host, port, metrics, missing }),
  )
}

/** @param missing undefined: it is going down, and nobody has to be called for it */
function countReady(metrics: Metrics, missing: () => Promise<readonly string[] | undefined>): void {
  const help = '1: it can do its work, as /readyz says; 0: something that it needs is missing.'
  metrics.gauge({ name: 'svc_ready', help }, async () => {
    const words = await missing()
    return words && (words.length === 0 ? 1 : 0)
  })
}

/** Whoever asks has a clock of its own to compare with: deadlines and windows are by this one. */
function tellTime(metrics: Metrics): void {
  const help = 'What time this process takes it to be, in seconds since the Unix epoch.'
  metrics.gauge({ name: 'svc_clock_seconds', help }, () => Date.now() / 1_000)
}
