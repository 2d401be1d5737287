import { status } from '@grpc/grpc-js'
import { backoffMs, jittered, LASTING } from './backoff.ts'
import type { SessionEnd } from './session.ts'

/** Somebody has to update something first. */
const VERSION_RETRY_MS = 60_000

/** How long to wait before the next dial: hardly at all, while there is a pool that was not tried. */
export class Patience {
  /** Rounds in which no pool took us, one after the other. */
  private failures = 0
  /** Whether all that went wrong in this round is of the lasting kind. */
  private onlyLasting = true
  /** Whether no pool of this round speaks our versions of the protocol. */
  private noneSpoken = true

  /** @param triedAll whether this end was the last of a round */
  waitMs(
    { welcomed, code, isSpoken }: Pick<SessionEnd, 'welcomed' | 'code' | 'isSpoken'>,
    triedAll: boolean,
  ): number {
    // With another agent of the same key, no pool is better than another.
    if (code === status.ABORTED) return backoffMs(Infinity)
    this.onlyLasting &&= LASTING.includes(code)
    this.noneSpoken &&= !isSpoken
    if (welcomed) this.failures = 0
    if (!triedAll) return backoffMs(0)
    const waitMs = this.noneSpoken
      ? jittered(VERSION_RETRY_MS)
      : backoffMs(this.onlyLasting ? Infinity : welcomed ? 0 : ++this.failures)
    this.onlyLasting = true
    this.noneSpoken = true
    return waitMs
  }
}
