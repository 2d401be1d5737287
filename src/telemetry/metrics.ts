import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/**
 * What one process counts. Names are `svc_<what>_<unit>`, as Prometheus has them. Labels hold fixed
 * words, models and routes: never a wallet, a job, a key or anything that a caller wrote.
 */
export interface Metrics {
  counter<Label extends string = never>(about: About<Label>): Counted<Label>
  /** Of spans of time, in seconds. */
  histogram<Label extends string = never>(about: About<Label>): Observed<Label>
  /** Read when somebody asks. */
  gauge(about: About<string>, read: () => Reading | Promise<Reading>): void
  /** In Prometheus' text format. */
  text(): Promise<string>
}

export interface About<Label extends string> {
  readonly name: `svc_${string}`
  readonly help: string
  readonly labels?: readonly Label[]
}

/** A value for each label's word; a number where there is no label; undefined: nothing to say now. */
type Reading = number | ReadonlyMap<string, number> | undefined

type Labels<Label extends string> = Readonly<Record<Label, string>>
export interface Counted<Label extends string> {
  inc(labels: Labels<Label>, by?: number): void
}
export interface Observed<Label extends string> {
  observe(labels: Labels<Label>, seconds: number): void
}

export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE

/** From a millisecond, which is a hop, to the two minutes that a job may take. */
const SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120,
]

/** @param process also what Node knows of the process: CPU, memory, event loop, garbage collection */
export function makeMetrics({ process = false } = {}): Metrics {
  const registry = new Registry()
  if (process) collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    counter: ({ labels = [], ...about }) =>
      new Counter({ ...about, labelNames: labels, registers }),
    histogram: ({ labels = [], ...about }) =>
      new Histogram({ ...about, labelNames: labels, registers, buckets: SECONDS }),
    gauge: ({ labels = [], ...about }, read) => {
      const [label = ''] = labels
      new Gauge({
        ...about,
        labelNames: labels,
        registers,
        async collect() {
          const value = await read()
          this.reset()
          if (typeof value === 'number') this.set(value)
          else if (value === undefined) {
            // After a reset one without a label is 0, and one with a label has no value.
            if (labels.length === 0) this.remove()
          } else for (const [word, each] of value) this.set({ [label]: word }, each)
        },
      })
    },
    text: () => registry.metrics(),
  }
}
