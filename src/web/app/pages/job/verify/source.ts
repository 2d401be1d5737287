import type { Hex, PublicClient } from 'viem'

/** Where a job is looked up. */
export interface Source {
  readonly client: PublicClient
  readonly escrow: Hex
  readonly chainId: number
  /** The job's id as the chain has it. */
  readonly key: Hex
}
