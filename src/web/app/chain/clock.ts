import type { WebConfig } from '../../api.ts'
import { serviceNow } from '../api/service-clock.ts'
import { readerOf } from './reader.ts'

const MS = 1_000

export interface ChainClock {
  /** Of the latest block, in Unix seconds. */
  readonly seconds: number
  /** When the service's clock will show that the chain has come to this time. */
  isoAt(seconds: bigint | number): string
}

/** A development chain may be far ahead of the time; no chain is far behind it for long. */
export async function readClock(web: WebConfig): Promise<ChainClock> {
  const { timestamp } = await readerOf(web).getBlock()
  const seconds = Number(timestamp)
  const aheadMs = Math.max(0, seconds * MS - serviceNow())
  return { seconds, isoAt: (at) => new Date(Number(at) * MS - aheadMs).toISOString() }
}
