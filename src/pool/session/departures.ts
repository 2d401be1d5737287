import { status } from '@grpc/grpc-js'
import type { Address } from '../../domain/ids.ts'
import type { DurationMs } from '../../domain/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EscrowReader } from '../../ports/escrow.ts'
import type { Log } from '../../telemetry/log.ts'
import { deactivatedText } from './enrolment.ts'
import type { Session } from './session.ts'
import { SureNumbers } from './sure-numbers.ts'

interface Deps {
  readonly chain: Pick<EscrowReader, 'head' | 'deactivated' | 'workerId'>
  /** What is known of a worker's number is no longer true. */
  forget(worker: Address): void
  readonly clock: Clock
  readonly log: Log
}

const LOOK_MS: DurationMs = 3_000
const RANGE_BLOCKS = 500
/** Blocks that may still be replaced by others. */
const UNSURE_BLOCKS = 12

/**
 * Ends the sessions of workers that were deactivated on chain: what they answer could not be
 * charged; and of those whose numbers are gone with a reorg. One reading of logs a look, however many
 * workers are connected, and one question for each that has joined.
 */
export class Departures {
  private readonly sessions = new Map<Address, Session>()
  private readonly numbers: SureNumbers
  /** Where the next look begins, and where the last one ended. */
  private range: { from: number; lookedTo: number } | undefined
  private failing = false
  private stopNext = () => {}
  private stopped = false

  constructor(private readonly deps: Deps) {
    this.numbers = new SureNumbers(deps, UNSURE_BLOCKS)
  }

  start(): void {
    void this.lookAndGoOn()
  }

  stop(): void {
    this.stopped = true
    this.stopNext()
  }

  joined(session: Session): void {
    this.sessions.set(session.address, session)
    this.numbers.joined(session)
  }

  left(session: Session): void {
    this.numbers.left(session)
    // A newer session of the same worker may be there by now.
    if (this.sessions.get(session.address) === session) this.sessions.delete(session.address)
  }

  private async lookAndGoOn(): Promise<void> {
    const { clock, log } = this.deps
    try {
      await this.look()
      this.failing = false
    } catch (error) {
      if (!this.failing) log.warn({ err: error }, 'pool: deactivated workers are not read')
      this.failing = true
    }
    if (!this.stopped) this.stopNext = clock.after(LOOK_MS, () => void this.lookAndGoOn())
  }

  private async look(): Promise<void> {
    const { chain } = this.deps
    const { number: head } = await chain.head()
    const range = this.range ?? { from: Math.max(0, head - UNSURE_BLOCKS), lookedTo: head }
    this.range = range
    while (range.from <= head && !this.stopped) {
      const to = Math.min(head, range.from + RANGE_BLOCKS - 1)
      for (const worker of await chain.deactivated(range.from, to)) this.end(worker)
      range.from = to + 1
    }
    // Each block is read in two looks at least: a worker that was just being let in when the first
    // one found it deactivated is found by the second.
    const sureTo = Math.min(range.lookedTo, head) - UNSURE_BLOCKS
    this.range = { from: Math.max(0, sureTo + 1), lookedTo: head }
    await this.numbers.check(head)
  }

  private end(worker: Address): void {
    this.deps.forget(worker)
    const session = this.sessions.get(worker)
    if (!session) return
    this.deps.log.info({ worker }, 'worker deactivated on chain: sent away')
    session.end({ code: status.FAILED_PRECONDITION, details: deactivatedText(worker) })
  }
}
