import { pause } from '../src/network/waiting.ts'

export { pause }

/** A machine that does much else must not fail a test. */
const WAIT_MS = 60_000
/** The same, for what happens in the test's own process or in one beside it. */
export const SOON_MS = 20_000

/** Short enough to see a state that soon passes. */
const LOOK_MS = 5
/** Whoever has to be asked has other work too. */
const ASK_MS = 25

/** A look that began in time may end later; one that never ends is a hang, and has a name. */
const LATE_MS = 60_000

type Seen<T> = T | undefined | false

/**
 * Looks until there is something to see: neither undefined nor false.
 * @param what that is awaited; a function says at the deadline what there was instead
 * @param look asks somebody if it is async, and is then called less often
 * @returns what `look` saw
 * @throws naming what never came, or what `look` throws, at once
 */
export async function until<T>(
  what: string | (() => string),
  look: () => Promise<Seen<T>> | Seen<T>,
  withinMs = WAIT_MS,
): Promise<T> {
  const deadline = performance.now() + withinMs
  const late = () =>
    new Error(`not within ${withinMs} ms: ${typeof what === 'string' ? what : what()}`)
  for (;;) {
    const answer = look()
    const leftMs = deadline + LATE_MS - performance.now()
    const found = answer instanceof Promise ? await inTime(answer, leftMs, late) : answer
    if (found !== undefined && found !== false) return found
    if (performance.now() > deadline) throw late()
    await pause(answer instanceof Promise ? ASK_MS : LOOK_MS)
  }
}

async function inTime<T>(answer: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const ends = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms)
  })
  try {
    return await Promise.race([answer, ends])
  } finally {
    clearTimeout(timer)
  }
}

/** Blocks this thread, as a process does that gets no turn on a busy machine. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
