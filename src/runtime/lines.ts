import type { Clock } from '../ports/clock.ts'

/**
 * Does each piece of work until it is done: those of one key in the order given, those of many keys
 * side by side. Work that fails is tried again, a little later each time.
 */
export interface Lines<Work> {
  push(work: Work): void
  /** Nothing more is begun or ended. */
  stop(): void
}

interface Options<Work> {
  readonly clock: Clock
  keyOf(work: Work): string
  /** Safe to repeat. A throw: not done yet. */
  attempt(work: Work): Promise<void>
  /** Called once, unless `stop` comes first. */
  done(work: Work): void
  failed(error: unknown, work: Work): void
}

interface Waiting<Work> {
  readonly work: Work
  waitMs: number
}

const PARALLEL_MAX = 256
const RETRY_MIN_MS = 50
const RETRY_MAX_MS = 2_000

export function makeLines<Work>(options: Options<Work>): Lines<Work> {
  const { clock, keyOf } = options
  /** At most one of a key. */
  const waiting: Waiting<Work>[] = []
  /** For each key that has one waiting or under way: those that come after it. */
  const next = new Map<string, Waiting<Work>[]>()
  let active = 0
  let stopped = false

  const pump = () => {
    while (active < PARALLEL_MAX && !stopped) {
      const first = waiting.shift()
      if (!first) return
      active++
      void attempt(first).finally(() => {
        active--
        pump()
      })
    }
  }
  const again = (one: Waiting<Work>) => {
    waiting.push(one)
    pump()
  }
  const attempt = async (one: Waiting<Work>): Promise<void> => {
    try {
      await options.attempt(one.work)
    } catch (error) {
      options.failed(error, one.work)
      // The slot is free for others meanwhile.
      clock.after(one.waitMs, () => again(one))
      one.waitMs = Math.min(RETRY_MAX_MS, one.waitMs * 2)
      return
    }
    if (stopped) return
    options.done(one.work)
    const key = keyOf(one.work)
    const following = next.get(key)?.shift()
    if (following) again(following)
    else next.delete(key)
  }

  return {
    push: (work) => {
      const one = { work, waitMs: RETRY_MIN_MS }
      const line = next.get(keyOf(work))
      if (line) {
        line.push(one)
        return
      }
      next.set(keyOf(work), [])
      again(one)
    },
    stop: () => {
      stopped = true
      waiting.length = 0
      next.clear()
    },
  }
}
