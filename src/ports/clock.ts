import { addMs, type DurationMs, type UnixMs } from '../domain/time.ts'

/** Time and randomness, so that the whole house runs under a simulated clock. */
export interface Clock {
  now(): UnixMs
  /** Milliseconds that never run backwards; for measuring spans only. */
  monotonic(): number
  /** Calls once, after `span`. The returned function cancels. */
  after(span: DurationMs, call: () => void): () => void
  /** Calls again and again. The returned function cancels. */
  every(span: DurationMs, call: () => void): () => void
  randomBytes(count: number): Uint8Array
}

/** Its moments go on as spans do, whatever `clock` is set to meanwhile: for those that one process alone compares. */
export function steady(clock: Clock): Clock {
  const [startedAt, sinceMs] = [clock.now(), clock.monotonic()]
  return {
    now: () => addMs(startedAt, Math.round(clock.monotonic() - sinceMs)),
    monotonic: () => clock.monotonic(),
    after: (span, call) => clock.after(span, call),
    every: (span, call) => clock.every(span, call),
    randomBytes: (count) => clock.randomBytes(count),
  }
}

export const pause = (clock: Clock, span: DurationMs): Promise<void> =>
  new Promise((resolve) => {
    clock.after(span, resolve)
  })

/** What `work` comes to, or undefined where that takes longer than `span`. Its timer ends with it. */
export async function inTime<T>(
  clock: Clock,
  span: DurationMs,
  work: Promise<T>,
): Promise<T | undefined> {
  let cancel = () => {}
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.after(span, () => resolve(undefined))
  })
  return Promise.race([work, late]).finally(cancel)
}
