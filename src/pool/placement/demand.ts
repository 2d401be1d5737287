import type { UnixMs } from '../../domain/time.ts'

const BUCKET_MS = 5_000
const BUCKETS = 12

interface Counts {
  readonly perBucket: number[]
  /** Number of the newest bucket since 1970. */
  newest: number
}

/** How many jobs of each model this pool was offered in the last minute. */
export class Demand {
  private readonly models = new Map<string, Counts>()

  note(model: string, at: UnixMs): void {
    const counts = this.models.get(model) ?? { perBucket: zeros(), newest: 0 }
    this.models.set(model, counts)
    advance(counts, at)
    counts.perBucket[counts.newest % BUCKETS]! += 1
  }

  /** A sliding minute, exact to five seconds. */
  lastMinute(model: string, at: UnixMs): number {
    const counts = this.models.get(model)
    if (!counts) return 0
    advance(counts, at)
    return counts.perBucket.reduce((a, b) => a + b, 0)
  }

  /** The same of all models together. */
  lastMinuteOfAll(at: UnixMs): number {
    return [...this.models.keys()].reduce((sum, model) => sum + this.lastMinute(model, at), 0)
  }
}

const zeros = (): number[] => new Array<number>(BUCKETS).fill(0)

/** Empties the buckets between the newest one and now. */
function advance(counts: Counts, at: UnixMs): void {
  const now = Math.floor(at / BUCKET_MS)
  const first = Math.max(counts.newest + 1, now - BUCKETS + 1)
  for (let bucket = first; bucket <= now; bucket++) counts.perBucket[bucket % BUCKETS] = 0
  counts.newest = Math.max(counts.newest, now)
}
