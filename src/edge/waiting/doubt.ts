import type { Refusal } from '../../domain/errors.ts'
import { inDoubt } from './follow-refusals.ts'
import { Patience } from './patience.ts'

/** A cut between hosts heals in that time, or is an outage that a caller should hear of. */
const DOUBT_MS = 12_000

/**
 * Nobody has said whether a job began. To refuse it at once could leave its caller without the answer
 * that it is charged for: so its owner is asked for a tombstone, and the first word of the job decides.
 */
export class Doubt {
  #held: { readonly refusal: Refusal; readonly patience: Patience } | undefined
  #denied = false

  /** @param refusal what callers are told once it is known that it did not begin */
  begin(refusal: Refusal, now: number): void {
    this.#held = { refusal, patience: new Patience(now, DOUBT_MS) }
  }

  end(): void {
    this.#held = undefined
  }

  get isHeld(): boolean {
    return this.#held !== undefined
  }

  /** The job's owner has said that there is no such job, and that there will be none. */
  deny(): void {
    this.#denied = true
  }

  /** To be asked at each tick. @returns what to tell callers now; undefined: nothing yet, or there is no doubt */
  verdict(now: number): Refusal | undefined {
    if (!this.#held) return undefined
    if (this.#denied) return this.#held.refusal
    return this.#held.patience.isOverAt(now) ? inDoubt() : undefined
  }
}
