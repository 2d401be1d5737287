import { status } from '@grpc/grpc-js'
import type { Address } from '../../domain/ids.ts'
import type { EscrowReader } from '../../ports/escrow.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Session } from './session.ts'

interface Deps {
  readonly chain: Pick<EscrowReader, 'workerId'>
  /** What is known of a worker's number is no longer true. */
  forget(worker: Address): void
  readonly log: Log
}

/** Of one look: after a start all workers come at once. */
const CHECKS_MAX = 50

/**
 * Whether workers still have the numbers that they joined with, once no reorg reaches the block any more
 * in which they had them. Anyone may register workers, so where the chain goes back a number may be gone,
 * or another worker's: then no proof of this one would be paid.
 */
export class SureNumbers {
  /** With the first head that was seen after they joined. */
  private readonly unsure = new Map<Session, number | undefined>()

  constructor(
    private readonly deps: Deps,
    private readonly unsureBlocks: number,
  ) {}

  joined(session: Session): void {
    this.unsure.set(session, undefined)
  }

  left(session: Session): void {
    this.unsure.delete(session)
  }

  /** @throws where the chain does not answer; the next look goes on */
  async check(head: number): Promise<void> {
    const ripe: Session[] = []
    for (const [session, since] of this.unsure) {
      if (since === undefined) this.unsure.set(session, head)
      else if (head - since >= this.unsureBlocks && ripe.length < CHECKS_MAX) ripe.push(session)
    }
    await Promise.all(ripe.map((session) => this.checkOne(session)))
  }

  private async checkOne(session: Session): Promise<void> {
    const { chain, forget, log } = this.deps
    const { address, profile } = session
    const workerId = await chain.workerId(address)
    if (!this.unsure.delete(session) || workerId === profile.workerId) return
    const about = { worker: address, knownAs: profile.workerId, workerId }
    log.warn(about, 'pool: the chain has gone back behind a registration, the worker dials again')
    forget(address)
    const details =
      `the chain has gone back: worker ${address} is not number ${profile.workerId} any more. ` +
      'Dial again, to be registered anew where that is needed'
    session.end({ code: status.UNAVAILABLE, details })
  }
}
