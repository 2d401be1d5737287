import type { Lane } from '../../src/messages/subjects.ts'
import { type Batch, LaneConflict, type SignedTransaction } from '../../src/ports/escrow.ts'
import type { Journal, StoredRecord } from '../../src/ports/journal.ts'

/**
 * What a lane has signed, one subject a nonce, written before it is broadcast: after a crash the
 * same bytes go out again.
 */
export interface Outbox {
  /** What stands at `nonce`, and how to write over it. */
  read(nonce: number): Promise<{ readonly sent: Sent | undefined; readonly sequence: number }>
  /**
   * Takes `nonce` for this writer, over what was read there: whoever held it in memory is refused
   * from now on. @returns the sequence to write over, or `conflict`
   */
  fence(nonce: number, sequence: number): Promise<number | 'conflict'>
  /** @throws {LaneConflict} another writer has taken this nonce */
  write(sent: Sent, sequence: number): Promise<void>
}

export interface Sent {
  readonly transaction: SignedTransaction
  readonly batch: Batch
}

type Body = { readonly type: 'fence' } | ({ readonly type: 'transaction' } & SentBody)
type SentBody = SignedTransaction & { readonly batch: Batch }

/** @param writer unique to this life of the lane */
export function makeOutbox(lane: Lane, journal: Journal, writer: string): Outbox {
  const subject = (nonce: number) => `tx.${lane}.${nonce}`
  let count = 0
  const append = (nonce: number, sequence: number, body: Body) =>
    journal.append(subject(nonce), sequence, { token: `${writer}.${++count}`, body })

  return {
    read: async (nonce) => {
      const record = await journal.last(subject(nonce))
      return { sent: record && parse(record), sequence: record?.sequence ?? 0 }
    },
    fence: (nonce, sequence) => append(nonce, sequence, { type: 'fence' }),
    write: async ({ transaction, batch }, sequence) => {
      const { nonce } = transaction
      const body: Body = { type: 'transaction', ...transaction, batch }
      if ((await append(nonce, sequence, body)) === 'conflict') {
        throw new LaneConflict(`another writer has taken ${subject(nonce)}`)
      }
    },
  }
}

function parse({ body }: StoredRecord): Sent | undefined {
  const { type, ...rest } = body as Body // only lanes write here
  if (type === 'fence') return undefined
  const { batch, ...transaction } = rest as SentBody
  return { transaction, batch }
}
