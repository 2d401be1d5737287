import type { TxHash } from '../../src/domain/ids.ts'
import type { Lane } from '../../src/messages/subjects.ts'
import {
  type Batch,
  type EscrowWriter,
  LaneConflict,
  type Offer,
  type SignedTransaction,
} from '../../src/ports/escrow.ts'
import type { Journal, StoredRecord } from '../../src/ports/journal.ts'

/**
 * What a lane has signed, one subject a nonce, written before it is broadcast: after a crash the
 * same bytes go out again. A record holds all attempts at its nonce. Of those before the newest only
 * the hash: it does what they do, and no node takes them in its place.
 */
export interface Outbox {
  /** What stands at `nonce`, and how to write over it. */
  read(nonce: number): Promise<{ readonly sent: Sent | undefined; readonly sequence: number }>
  /**
   * Takes `nonce` for this writer, over what was read there: whoever held it in memory is refused
   * from now on. @returns the sequence to write over, or `conflict`
   */
  fence(nonce: number, sequence: number): Promise<number | 'conflict'>
  /**
   * @returns the sequence to write over
   * @throws {LaneConflict} another writer has taken this nonce
   */
  write(sent: Sent, sequence: number): Promise<number>
}

/** As far back as reorgs are healed; a lane rarely sends more than one transaction a block. */
export const HEALED_NONCES = 64

export interface Sent extends Offer {
  readonly batch: Batch
}

interface OutboxOptions {
  readonly lane: Lane
  readonly journal: Journal
  readonly isOwn: EscrowWriter['isOwn']
}

type Body = { readonly type: 'fence' } | ({ readonly type: 'transaction' } & SentBody)
/** `earlier` is absent where there is none. */
type SentBody = SignedTransaction & { readonly batch: Batch; readonly earlier?: readonly TxHash[] }

/**
 * What another key of the lane signed is as if it were not there: its nonces are that key's, and have
 * nothing to do with ours.
 * @param writer unique to this life of the lane
 */
export function makeOutbox({ lane, journal, isOwn }: OutboxOptions, writer: string): Outbox {
  const subject = (nonce: number) => `tx.${lane}.${nonce}`
  let count = 0
  const append = (nonce: number, sequence: number, body: Body) =>
    journal.append(subject(nonce), sequence, { token: `${writer}.${++count}`, body })

  const isOfAnotherKey = (sent: Sent | undefined) =>
    sent !== undefined && !isOwn(lane, sent.transaction)
  const overwrite = async (nonce: number, sequence: number, body: Body) => {
    const written = await append(nonce, sequence, body)
    if (written !== 'conflict') return written
    const record = await journal.last(subject(nonce))
    return record && isOfAnotherKey(parse(record)) ? append(nonce, record.sequence, body) : written
  }

  return {
    read: async (nonce) => {
      const record = await journal.last(subject(nonce))
      const found = record && parse(record)
      const sent = isOfAnotherKey(found) ? undefined : found
      return { sent, sequence: record?.sequence ?? 0 }
    },
    fence: (nonce, sequence) => append(nonce, sequence, { type: 'fence' }),
    write: async ({ transaction, earlier, batch }, sequence) => {
      const { nonce } = transaction
      const body: Body = {
        type: 'transaction',
        ...transaction,
        batch,
        ...(earlier.length > 0 ? { earlier } : {}),
      }
      const written = await overwrite(nonce, sequence, body)
      if (written === 'conflict') {
        throw new LaneConflict(`another writer has taken ${subject(nonce)}`)
      }
      return written
    },
  }
}

function parse({ body }: StoredRecord): Sent | undefined {
  const { type, ...rest } = body as Body // only lanes write here
  if (type === 'fence') return undefined
  const { batch, earlier = [], ...transaction } = rest as SentBody
  return { transaction, earlier, batch }
}
