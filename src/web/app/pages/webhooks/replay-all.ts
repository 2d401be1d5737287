import type { Replayed, ReplayRequest } from '../../../webhook-api.ts'
import { call } from '../../api/call.ts'
import { ApiFailure } from '../../api/failure.ts'

/** While the service takes no more: what it has taken is being sent. */
const PAUSE_MS = 5_000
/** Whose endpoint answers nothing in this time is told so. */
const PATIENCE_MS = 120_000

interface Way {
  /** How many are on their way again, after each request. */
  came(count: number): void
  pause(ms: number): Promise<void>
}

/**
 * As many requests as it takes: each replays only so many. One that has come some way waits where the service has
 * enough to send for now.
 * @throws what the last request was refused with; `came` has said how far it was by then
 */
export async function replayAll(
  webhookId: string,
  wanted: ReplayRequest,
  { came, pause }: Way,
): Promise<number> {
  const path = `/webhooks/${encodeURIComponent(webhookId)}/replay`
  let count = 0
  let waitedMs = 0
  let rest: ReplayRequest | undefined = wanted
  while (rest) {
    try {
      const { events, next_cursor }: Replayed = await call('POST', path, rest)
      count += events
      waitedMs = 0
      came(count)
      rest = next_cursor === null ? undefined : { ...wanted, cursor: next_cursor }
    } catch (error) {
      if (!isTooMuch(error) || rest === wanted || waitedMs >= PATIENCE_MS) throw error
      waitedMs += PAUSE_MS
      await pause(PAUSE_MS)
    }
  }
  return count
}

const isTooMuch = (error: unknown): boolean =>
  error instanceof ApiFailure && error.code === 'rate_limited'
