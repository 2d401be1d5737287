import { ask, type Call } from '../e2e/calls.ts'
import type { Network } from '../network/network.ts'

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
}

/** Every other one is a stream. */
export function startLoad(network: Network, { atOnce, edge }: Options): SteadyLoad {
  const calls: Call[] = []
  let going = true
  let asked = 0
  const callers = Array.from({ length: atOnce }, async () => {
    while (going) calls.push(await ask(network, { stream: asked++ % 2 === 0, edge: edge() }))
  })
  return {
    calls,
    end: async () => {
      going = false
      await Promise.all(callers)
      return calls
    },
  }
}
