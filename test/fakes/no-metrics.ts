import type { Metrics } from '../../src/telemetry/metrics.ts'

/** For tests that ask nothing about figures. */
export const noMetrics: Metrics = {
  counter: () => ({ inc: () => {} }),
  histogram: () => ({ observe: () => {} }),
  gauge: () => {},
  text: async () => '',
}
