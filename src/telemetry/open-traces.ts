import { exportTraces } from './export-traces.ts'
import type { TraceOptions, Traces } from './traces.ts'

/** The packages behind it are loaded only where a collector is named. */
export async function openTraces(options: TraceOptions): Promise<Traces | undefined> {
  const { endpoint } = options
  if (endpoint === undefined) return undefined
  return exportTraces({ ...options, endpoint })
}
