import type { Address } from 'viem'
import { jobEscrowAbi } from '../../../chain/abi.ts'
import type { WebAccount, WebConfig } from '../../api.ts'
import { readerOf } from './reader.ts'

/** What a withdrawal without the service goes by. */
export type OwnCredits = Pick<WebAccount, 'credits_remaining' | 'thawing'>

const MS = 1_000

/** As the contract itself has it, for when the service does not tell. */
export async function readOwnCredits(web: WebConfig, wallet: Address): Promise<OwnCredits> {
  const client = readerOf(web)
  const escrow = { address: web.contracts.job_escrow, abi: jobEscrowAbi, args: [wallet] } as const
  const [[available, , thawing], endsAt] = await Promise.all([
    client.readContract({ ...escrow, functionName: 'accounts' }),
    client.readContract({ ...escrow, functionName: 'thawEndsAt' }),
  ])
  return {
    credits_remaining: Number(available),
    thawing: {
      credits: Number(thawing),
      ends_at: endsAt === 0n ? null : new Date(Number(endsAt) * MS).toISOString(),
    },
  }
}
