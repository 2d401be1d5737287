import type { Address, JobId } from '../../domain/ids.ts'

/** A job for which a worker is looked for. */
export interface Placement {
  readonly jobId: JobId
  readonly wallet: Address
  readonly model: string
  /** Workers that must not get it. */
  readonly exclude: ReadonlySet<Address>
  /** Only workers that serve more context than this, in tokens: less was not enough. */
  readonly contextAbove?: number | undefined
}

/** A job that waits for a slot. */
export interface Waiting extends Placement {
  readonly arrival: number
}
