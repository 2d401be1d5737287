import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../ports/clock.ts'

export const TOKEN_BYTES = 32

/**
 * What proves that a stream goes on with a session. Besides it the worker has shown its key, so the
 * token only tells this session of the worker from its others.
 */
export class SessionTokens {
  private current: Buffer = Buffer.alloc(0)
  /** Still good while nobody knows that the current one has arrived. */
  private previous: Buffer | undefined

  constructor(private readonly clock: Pick<Clock, 'randomBytes'>) {}

  /** For the next Welcome. It may be lost, so the one before stays good until `arrived`. */
  renew(): Buffer {
    if (this.current.length > 0) this.previous ??= this.current
    this.current = Buffer.from(this.clock.randomBytes(TOKEN_BYTES))
    return this.current
  }

  /** The worker has read the last Welcome. */
  arrived(): void {
    this.previous = undefined
  }

  /** Whether one of them is `token`; takes as long whether it is or not. */
  match(token: Uint8Array): boolean {
    if (token.length !== TOKEN_BYTES) return false
    const known = [this.current, this.previous ?? this.current]
    return known.map((each) => same(each, token)).some(Boolean)
  }
}

const same = (known: Buffer, token: Uint8Array): boolean =>
  known.length === token.length && timingSafeEqual(known, token)
