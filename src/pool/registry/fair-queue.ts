import type { Address, JobId } from '../../domain/ids.ts'
import type { Waiting } from './waiting.ts'

/** The jobs of one wallet that wait for one model, oldest first. */
interface Line {
  /** When the wallet last had a turn, or came to wait. */
  since: number
  readonly jobs: Map<JobId, Waiting>
}

/** Who is next, and how it compares with those who wait for other models. */
export interface Next {
  readonly waiting: Waiting
  /** Turns that its wallet has had in this same decision. */
  readonly turns: number
  readonly since: number
}

/**
 * Jobs that wait for one model. Wallets take turns, so that one with two hundred jobs does not hold
 * up another's one; jobs of one wallet go in the order in which they came.
 */
export class FairQueue {
  /** In the order of their turns. */
  private readonly lines = new Map<Address, Line>()
  private readonly wallets = new Map<JobId, Address>()

  get size(): number {
    return this.wallets.size
  }

  has(jobId: JobId): boolean {
    return this.wallets.has(jobId)
  }

  add(waiting: Waiting): void {
    const { jobId, wallet, arrival } = waiting
    const line = this.lines.get(wallet) ?? { since: arrival, jobs: new Map() }
    this.lines.set(wallet, line)
    line.jobs.set(jobId, waiting)
    this.wallets.set(jobId, wallet)
  }

  delete(jobId: JobId): void {
    const wallet = this.wallets.get(jobId)
    const line = wallet && this.lines.get(wallet)
    if (!line) return
    this.wallets.delete(jobId)
    line.jobs.delete(jobId)
    if (line.jobs.size === 0) this.lines.delete(wallet)
  }

  /** The wallet has had a turn, here or at another model: it goes behind the others. */
  passTurn(wallet: Address, at: number): void {
    const line = this.lines.get(wallet)
    if (!line) return
    this.lines.delete(wallet)
    this.lines.set(wallet, { since: at, jobs: line.jobs })
  }

  /** @param turns that wallets have had in this same decision, and that are not passed yet */
  next(
    mayTake: (waiting: Waiting) => boolean,
    turns: ReadonlyMap<Address, number>,
  ): Next | undefined {
    let best: Next | undefined
    for (const [wallet, { since, jobs }] of this.lines) {
      const had = turns.get(wallet) ?? 0
      if (best && had >= best.turns) continue
      const waiting = firstOf(jobs, mayTake)
      if (waiting) best = { waiting, turns: had, since }
      if (best?.turns === 0) break
    }
    return best
  }

  *all(): Generator<Waiting> {
    for (const { jobs } of this.lines.values()) yield* jobs.values()
  }
}

function firstOf(jobs: Map<JobId, Waiting>, mayTake: (waiting: Waiting) => boolean) {
  for (const waiting of jobs.values()) if (mayTake(waiting)) return waiting
  return undefined
}

/** Fewer turns first, then who has waited longest for one, then the older job of one wallet. */
export const isBefore = (a: Next, b: Next): boolean =>
  (a.turns - b.turns || a.since - b.since || a.waiting.arrival - b.waiting.arrival) < 0
