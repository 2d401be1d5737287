import type { Fact } from '../messages/fact.ts'

/** Where facts are kept for whoever tells the world outside. */
export interface Facts {
  /** Resolves once the fact is stored. The same fact again adds nothing, or a repeat to pass over. */
  publish(fact: Fact): Promise<void>
}
