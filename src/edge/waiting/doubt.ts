import type { Refusal } from '../../domain/errors.ts'
import { inDoubt } from './follow-refusals.ts'

/** A cut between hosts heals in that time, or is an outage that a caller should hear of. */
const DOUBT_MS = 12_000

/**
 * Nobody has said whether a job began. To refuse it at once could leave its caller without the answer
 * that it is charged for: so the job is asked, and its first word decides.
 */
export class Doubt {
  #held: { readonly refusal: Refusal; readonly endsAt: number } | undefined

  /** @param refusal what callers are told once it is known that it did not begin */
  begin(refusal: Refusal, now: number): void {
    this.#held = { refusal, endsAt: now + DOUBT_MS }
  }

  end(): void {
    this.#held = undefined
  }

  /**
   * @param isUnknown whether the job's owner has said that there is no such job
   * @returns what to tell callers now; undefined: nothing yet, or there is no doubt
   */
  verdict(now: number, isUnknown: boolean): Refusal | undefined {
    if (!this.#held) return undefined
    if (isUnknown) return this.#held.refusal
    return now >= this.#held.endsAt ? inDoubt() : undefined
  }
}
