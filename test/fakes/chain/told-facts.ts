import { type Credits, toCredits } from '../../../src/domain/credits.ts'
import type { Fact } from '../../../src/messages/fact.ts'
import type { Facts } from '../../../src/ports/facts.ts'
import type { Settings } from '../../../src/ports/settings.ts'
import { CursorRegistry } from './cursor-registry.ts'

/** What a watcher tells of wallets, kept in memory; what is to go wrong is set from outside. */
export class ToldFacts implements Facts, Settings {
  /** Everything that was published, repeats too. */
  readonly told: Fact[] = []
  /** Bucket LOW. */
  readonly lowMarks = new CursorRegistry()
  threshold: Credits = toCredits(100)
  failing = false

  async publish(fact: Fact): Promise<void> {
    if (this.failing) throw new Error('the stream is down')
    this.told.push(fact)
  }

  async of() {
    return { lowThreshold: this.threshold }
  }

  /** What a watcher is made with. */
  get ports() {
    return { facts: this, settings: this, lowMarks: this.lowMarks, load: async () => {} }
  }
}
