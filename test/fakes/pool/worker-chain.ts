import { type Address, toHex32 } from '../../../src/domain/ids.ts'
import type { RegisterReply, RegisterWorker } from '../../../src/messages/lane.ts'
import type { Block, EscrowReader } from '../../../src/ports/escrow.ts'

const HASH = toHex32(`0x${'00'.repeat(32)}`)

type Chain = Pick<EscrowReader, 'workerId' | 'registrationError' | 'head' | 'deactivated'>

/** WorkerStaking as a pool sees it, with one block a deactivation. */
export class WorkerChain implements Chain {
  /** Numbers of workers. */
  readonly registered = new Map<Address, number>()
  /** Registrations that were asked for: each would be a transaction. */
  asked = 0
  /** Who is asked for past this many is told to come later. */
  registrationsMax = Number.POSITIVE_INFINITY
  private readonly left: Address[] = []

  register({ signer }: RegisterWorker): RegisterReply {
    this.asked++
    if (this.asked > this.registrationsMax) {
      return { type: 'refused', reason: 'too many', laterMs: 12_000 }
    }
    if (this.left.includes(signer)) return { type: 'refused', reason: 'it reverted' }
    this.registered.set(signer, this.registered.size + 1)
    return { type: 'registered', workerId: this.registered.size }
  }

  deactivate(worker: Address): void {
    this.left.push(worker)
  }

  /** A reorg has taken the block of its registration. */
  goBackBehind(worker: Address): void {
    this.registered.delete(worker)
  }

  async workerId(signer: Address): Promise<number | undefined> {
    return this.left.includes(signer) ? undefined : this.registered.get(signer)
  }

  async registrationError({ signer }: RegisterWorker): Promise<string | undefined> {
    return this.left.includes(signer) ? 'Deactivated' : undefined
  }

  async head(): Promise<Block> {
    return { number: this.left.length, hash: HASH, parentHash: HASH }
  }

  async deactivated(from: number, to: number): Promise<readonly Address[]> {
    return this.left.filter((_worker, index) => index + 1 >= from && index + 1 <= to)
  }
}
