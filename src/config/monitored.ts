import type { Metrics } from '../telemetry/metrics.ts'
import { openMonitor } from '../telemetry/monitor.ts'
import type { Role } from './process.ts'

interface Options {
  /** MONITOR_PORT 0: nobody looks. */
  readonly config: { readonly MONITOR_HOST: string; readonly MONITOR_PORT: number }
  readonly metrics: Metrics
  /** What the role needs and lacks, in words; empty: it can work. */
  readonly missing: () => Promise<readonly string[]>
}

/** A role with its monitoring port beside it, which says as well when it is going. */
export async function monitored(role: Role, { config, metrics, missing }: Options): Promise<Role> {
  const { MONITOR_HOST: host, MONITOR_PORT: port } = config
  if (port === 0) return role
  let leaving = false
  const lacks = async () => (leaving ? ['a reason to stay: it is going down'] : missing())
  countReady(metrics, async () => (leaving ? undefined : missing()))
  const monitor = await openMonitor({ host, port, metrics, missing: lacks })
  return {
    leave: async () => {
      leaving = true
      await role.leave?.()
    },
    stop: async () => {
      leaving = true
      await role.stop()
      await monitor.close()
    },
  }
}

/** @param missing undefined: it is going down, and nobody has to be called for it */
function countReady(metrics: Metrics, missing: () => Promise<readonly string[] | undefined>): void {
  const help = '1: it can do its work, as /readyz says; 0: something that it needs is missing.'
  metrics.gauge({ name: 'svc_ready', help }, async () => {
    const words = await missing()
    return words && (words.length === 0 ? 1 : 0)
  })
}
