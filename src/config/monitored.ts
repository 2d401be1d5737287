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
