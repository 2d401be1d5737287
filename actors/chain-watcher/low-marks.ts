import type { Address } from '../../src/domain/ids.ts'
import { keepNewest } from '../../src/domain/newest.ts'
import type { Registry } from '../../src/ports/registry.ts'
import type { LowMark } from './low-mark.ts'

export interface LowMarks {
  /** Undefined: never low. */
  read(wallet: Address): Promise<LowMark | undefined>
  /** Over what was read last. @throws {MarkMoved} */
  write(wallet: Address, mark: LowMark): Promise<void>
}

/** Another watcher has written: read again. */
export class MarkMoved extends Error {}

interface Kept {
  readonly mark: LowMark | undefined
  readonly revision: number
}

const KEPT_MAX = 20_000

/** Bucket LOW, behind a memory of the wallets of late: a settlement costs no read. */
export function makeLowMarks(registry: Registry): LowMarks {
  const kept = new Map<Address, Kept>()
  const keep = (wallet: Address, entry: Kept): Kept => {
    keepNewest(kept, wallet, entry, KEPT_MAX)
    return entry
  }
  const look = async (wallet: Address): Promise<Kept> => {
    const found = kept.get(wallet)
    if (found) return found
    const entry = await registry.get(wallet)
    // Only watchers write here.
    const mark = entry?.value as LowMark | undefined
    return keep(wallet, { mark, revision: entry?.revision ?? 0 })
  }
  return {
    read: async (wallet) => (await look(wallet)).mark,
    write: async (wallet, mark) => {
      const { revision } = await look(wallet)
      const written = await registry.put(wallet, mark, revision)
      if (written === 'conflict') {
        kept.delete(wallet)
        throw new MarkMoved(`the mark of ${wallet} is another than was read`)
      }
      keep(wallet, { mark, revision: written })
    },
  }
}
