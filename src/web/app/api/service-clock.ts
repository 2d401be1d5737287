/**
 * The service's time. What is counted down and what is signed ends by its clock, and a device's own may
 * be minutes or a time zone wrong.
 */
export const serviceNow = (): number => Date.now() + aheadMs

/** How far the service is ahead of this device; below 0: how far behind. */
let aheadMs = 0

const SECOND_MS = 1_000

/** Learns it from an answer. @param askedAt and what follows: by the clock of this device */
export function noteServiceTime(date: string | null, askedAt: number, answeredAt: number): void {
  const toldMs = date === null ? Number.NaN : Date.parse(date)
  if (!Number.isNaN(toldMs)) aheadMs = offsetOf(toldMs, askedAt, answeredAt)
}

/**
 * The service wrote the time, in whole seconds, somewhere between question and answer. As long as this
 * leaves room for it, the device is right: a slow network makes no clock wrong.
 */
export function offsetOf(toldMs: number, askedAt: number, answeredAt: number): number {
  const least = toldMs - answeredAt
  const most = toldMs + SECOND_MS - askedAt
  if (least > 0) return least
  return Math.min(most, 0)
}
