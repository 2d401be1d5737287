import { type Address, type JobId, toAddress } from '../../../src/domain/ids.ts'
import type { SimRedis } from '../redis/server.ts'

/** One wallet as Redis holds it in this life of it. */
export interface LedgerPage {
  readonly wallet: Address
  readonly available: bigint
  readonly locked: bigint
  readonly reserved: bigint
  /** Up to which log of the chain it is true. */
  readonly block: number
  readonly logIndex: number
  /** Credits by job, or by the voucher. */
  readonly reservations: ReadonlyMap<string, bigint>
  readonly locks: ReadonlyMap<JobId, bigint>
}

const WALLET = /^w:\{(0x[0-9a-f]{40})\}$/

/** The wallets that the ledger knows. */
export function readPages({ data, runId }: SimRedis): readonly LedgerPage[] {
  return data.keys('w:{').flatMap((key) => {
    const wallet = WALLET.exec(key)?.[1]
    const page = wallet && data.hash(key)
    if (!page || page.get('g') !== runId || !page.has('a') || !page.has('k')) return []
    const number = (field: string) => BigInt(page.get(field) ?? '0')
    const holds = [...data.hash(`h:{${wallet}}`)].filter(([name]) => name !== 'withdrawal_after')
    const of = (kind: string) =>
      holds.flatMap(([name, text]) =>
        text.startsWith(kind) ? [[name, BigInt(text.slice(1))] as const] : [],
      )
    return [
      {
        ...{ wallet: toAddress(wallet), available: number('a'), locked: number('k') },
        ...{ reserved: number('r'), block: Number(page.get('b')), logIndex: Number(page.get('i')) },
        reservations: new Map(of('r')),
        locks: new Map(of('l') as [JobId, bigint][]),
      },
    ]
  })
}
