import type { Address } from '../../src/domain/ids.ts'
import { toUnixMs, type UnixMs } from '../../src/domain/time.ts'
import type { Fact } from '../../src/messages/fact.ts'
import type { FactCursor, FactReader, StoredFact } from '../../src/ports/fact-reader.ts'

/** Facts in memory, from 1. */
export class MemoryFacts implements FactReader {
  readonly stored: StoredFact[] = []

  store(fact: Fact, storedAt: UnixMs = toUnixMs(Date.now())): void {
    this.stored.push({ sequence: this.stored.length + 1, storedAt, fact })
  }

  async newest(): Promise<number> {
    return this.stored.length
  }

  async since(at: UnixMs): Promise<number> {
    const found = this.stored.findIndex(({ storedAt }) => storedAt >= at)
    return (found < 0 ? this.stored.length : found) + 1
  }

  open(wallet: Address, after: number): FactCursor {
    const isSeen = ({ fact }: StoredFact) => !('wallet' in fact) || fact.wallet === wallet
    let position = Math.min(after, this.stored.length)
    return {
      get position() {
        return position
      },
      next: async () => {
        const found = this.stored.slice(position).find(isSeen)
        position = found?.sequence ?? this.stored.length
        return found
      },
    }
  }
}
