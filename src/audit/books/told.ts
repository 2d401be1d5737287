/** What one of the service's own records says of a job. */
export interface Told {
  /** Which record. */
  readonly source: 'journal' | 'archive' | 'view'
  readonly jobId: string
  /** Sequence of the journal's record that it was made from. */
  readonly version: number
  readonly status: ToldStatus
  readonly wallet: string
  /** Null where the record keeps no such thing. Credits. */
  readonly locked: bigint | null
  readonly charged: bigint
  readonly outputHash: string | null
  readonly settlementTx: string | null
  readonly refundTx: string | null
}

export const TOLD_STATUSES = [
  'pending',
  'processing',
  'settling',
  'settled',
  'failed',
  'refunded',
  'disputed',
] as const
/** Callers see an upheld dispute as a refund, and an abandoned job not at all. */
export type ToldStatus = (typeof TOLD_STATUSES)[number] | 'upheld' | 'abandoned'

/** From these there is no way on but the ones named. */
const WAYS_OUT: Partial<Record<ToldStatus, readonly ToldStatus[]>> = {
  // The chain has the last word: where the journal is a restored copy, or the chain has gone back, behind a
  // settlement, too, whose credits it then lacks. How it ended there is checked like any other end.
  settled: ['disputed', 'upheld', 'failed'],
  // With the dispute that it had, where it had one.
  failed: ['settled', 'disputed'],
  refunded: ['settled'],
  // Another verdict, in place of the one that is gone.
  upheld: ['settled'],
  abandoned: [],
}

export const mayBecome = (from: ToldStatus, to: ToldStatus): boolean =>
  from === to || (WAYS_OUT[from]?.includes(to) ?? true)

/** A job that still has something to do with its lock. */
export const isLive = ({ status, settlementTx }: Told): boolean =>
  status === 'pending' ||
  status === 'processing' ||
  status === 'settling' ||
  (status === 'disputed' && settlementTx === null)
