import { until } from '../until.ts'

/** Chooses among edges as a load balancer does: round and round, among those that say they are ready. */
export interface Balancer {
  /** The next edge, as an index of the addresses. Where none is ready, any: who asks is told so. */
  next(): number
  untilReady(count: number, withinMs?: number): Promise<void>
  stop(): void
}

const LOOK_MS = 250
const PATIENCE_MS = 2_000

/** @param baseUrls end in /v1 */
export function makeBalancer(baseUrls: readonly string[]): Balancer {
  const ready = baseUrls.map(() => false)
  let stopped = false
  let turn = 0
  const watch = async (url: string, index: number) => {
    while (!stopped) {
      ready[index] = await isReady(url.replace(/\/v1$/, '/readyz'))
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }
  for (const [index, url] of baseUrls.entries()) void watch(url, index)
  return {
    next: () => {
      for (let tried = 0; tried < ready.length; tried++) {
        const index = turn++ % ready.length
        if (ready[index]) return index
      }
      return turn++ % ready.length
    },
    untilReady: (count, withinMs) =>
      until(`${count} edges ready`, () => ready.filter(Boolean).length >= count, withinMs).then(
        () => {},
      ),
    stop: () => {
      stopped = true
    },
  }
}

const isReady = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) }).then(
    async (answer) => {
      await answer.text()
      return answer.ok
    },
    () => false,
  )
