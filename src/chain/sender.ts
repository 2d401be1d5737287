import type { TxHash } from '../domain/ids.ts'
import type { KeeperOutcome } from '../ports/keeper.ts'
import type { Call } from './calldata.ts'
import { performCall, type Sending } from './keeper.ts'

/** Sends the calls of one key, one after the other. */
export interface Sender {
  /**
   * Resolves once a node has taken the transaction, or it is known why none is sent.
   * @throws {ChainUnavailable}
   */
  broadcast(call: Pick<Call, 'to' | 'data'>): Promise<TxHash | KeeperOutcome>
  /** Resolves once it is in a block. @throws {ChainUnavailable} */
  perform(call: Pick<Call, 'to' | 'data'>): Promise<KeeperOutcome>
  /** How many wait for their turn. */
  readonly waiting: number
}

const NONCE_LOST = 'the nonce was used by another transaction'
/** Another process may send with the same key: who loses a nonce takes the next one. */
const ATTEMPTS_MAX = 5

/** @param feeCeilingWei most wei a unit of gas */
export function makeSender(sending: Sending, feeCeilingWei: bigint): Sender {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    waiting++
    const turn = last.then(work).finally(() => {
      waiting--
    })
    // Who asked hears of it; the next one goes on all the same.
    last = turn.catch(() => {})
    return turn
  }
  const perform = (call: Pick<Call, 'to' | 'data'>, sent?: (hash: TxHash) => void) =>
    inTurn(async () => {
      for (let attempt = 1; ; attempt++) {
        const outcome = await performCall(sending, call, feeCeilingWei, sent)
        const isLost = outcome.type === 'needless' && outcome.reason === NONCE_LOST
        if (!isLost || attempt === ATTEMPTS_MAX) return outcome
      }
    })

  return {
    perform,
    broadcast: (call) =>
      new Promise((resolve, reject) => {
        perform(call, resolve).then(resolve, reject)
      }),
    get waiting() {
      return waiting
    },
  }
}
