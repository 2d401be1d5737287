import { ask, type Call, type Reached } from '../e2e/calls.ts'

/** Requests that never stop coming, a fixed number of them at a time. */
export interface SteadyLoad {
  /** Those that are over. */
  readonly calls: readonly Call[]
  /** No new ones from now on. @returns all of them, once the last one is answered */
  end(): Promise<readonly Call[]>
}

interface Options {
  readonly atOnce: number
  /** The edge to ask next, as an index of `base_urls`: what a load balancer does. */
  edge(): number
  /** Called after each. */
  ended?(call: Call): void
}

/** Every other one is a stream. */
export function startLoad(network: Reached, { atOnce, edge, ended }: Options): SteadyLoad {
  const calls: Call[] = []
  let going = true
  let asked = 0
  const callers = Array.from({ length: atOnce }, async () => {
    while (going) {
      const call = await ask(network, { stream: asked++ % 2 === 0, edge: edge() })
      calls.push(call)
      ended?.(call)
    }
  })
  // What one of them throws is thrown at the end, to whoever waits for it.
  for (const caller of callers) caller.catch(() => {})
  return {
    calls,
    end: async () => {
      going = false
      await Promise.all(callers)
      return calls
    },
  }
}
