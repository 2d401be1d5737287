import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { toUnixMs } from '../domain/time.ts'
import type { Clock } from '../ports/clock.ts'

/** Node's timers end at once where they are given more: 24 days. Nothing here has to wait that long. */
const TIMER_MS_MAX = 2 ** 31 - 1

/** The real clock. */
export const systemClock: Clock = {
  now: () => toUnixMs(Date.now()),
  monotonic: () => performance.now(),
  after: (span, call) => {
    const timer = setTimeout(call, Math.min(span, TIMER_MS_MAX))
    return () => clearTimeout(timer)
  },
  every: (span, call) => {
    const timer = setInterval(call, span)
    return () => clearInterval(timer)
  },
  randomBytes: fromPages(randomBytes),
}

const PAGE_BYTES = 4_096

/** The system is asked for a page at a time: a question of its own costs each job 6 µs. */
function fromPages(ask: (count: number) => Uint8Array): (count: number) => Uint8Array {
  let page: Uint8Array = new Uint8Array(0)
  let at = 0
  return (count) => {
    if (count > PAGE_BYTES) return ask(count)
    if (at + count > page.length) {
      page = ask(PAGE_BYTES)
      at = 0
    }
    at += count
    return page.subarray(at - count, at)
  }
}
