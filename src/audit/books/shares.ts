import { UNITS_PER_CREDIT } from './rules.ts'

interface Earned {
  readonly charged: bigint
  readonly workerId: number
  readonly workerUnits: bigint
}

/** What workers and treasury have earned and not claimed. Token units. */
export class Shares {
  readonly earned = new Map<number, bigint>()
  treasury = 0n
  /** What disputed jobs earned belongs to nobody. */
  contested = 0n
  claimed = 0n

  pay(job: Earned): void {
    this.#share(job, 1n)
  }

  /** A dispute takes both shares from whom they were paid to. */
  contest(job: Earned): void {
    this.#share(job, -1n)
    this.contested += job.charged * UNITS_PER_CREDIT
  }

  /** @param back to whom the dispute took them from, else to the wallet */
  endContest(job: Earned, back: boolean): void {
    this.contested -= job.charged * UNITS_PER_CREDIT
    if (back) this.#share(job, 1n)
  }

  claimByWorker(workerId: number, units: bigint): void {
    this.#earn(workerId, -units)
    this.claimed += units
  }

  claimByTreasury(units: bigint): void {
    this.treasury -= units
    this.claimed += units
  }

  #share({ charged, workerId, workerUnits }: Earned, sign: 1n | -1n): void {
    this.#earn(workerId, sign * workerUnits)
    this.treasury += sign * (charged * UNITS_PER_CREDIT - workerUnits)
  }

  #earn(workerId: number, units: bigint): void {
    this.earned.set(workerId, (this.earned.get(workerId) ?? 0n) + units)
  }
}
