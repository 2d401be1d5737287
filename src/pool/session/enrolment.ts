import { status } from '@grpc/grpc-js'
import type { Address } from '../../domain/ids.ts'
import { keepNewest } from '../../domain/newest.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import type { DurationMs } from '../../domain/time.ts'
import type { RegisterReply, RegisterWorker } from '../../messages/lane.ts'
import { SUBJECTS } from '../../messages/subjects.ts'
import type { Bus } from '../../ports/bus.ts'
import { type Clock, pause } from '../../ports/clock.ts'
import type { EscrowReader } from '../../ports/escrow.ts'
import type { Log } from '../../telemetry/log.ts'
import { Seldom } from '../../telemetry/seldom.ts'
import type { Ending } from './worker-call.ts'

const TRIES = 3
const RETRY_MS = 500
const REGISTER_MS = 30_000
/** So long a worker that cannot be registered is refused without asking chain or lane again. */
const REFUSED_MS = 30_000
const REFUSED_MAX = 10_000
/** So long at most nobody new is registered, once the lane has said so, before it is asked again. */
const CLOSED_MS_MAX = 10_000

/** What the operator of a worker that has left the chain is told. */
export const deactivatedText = (worker: Address): string =>
  `worker ${worker} was deactivated on chain, which is for good: it gets no jobs, since none of ` +
  'them would be paid. What it has earned and staked stays its own; to serve again, use another key'

interface Refusal {
  readonly reason: string
  /** On the monotonic clock. */
  readonly until: number
}

/** Finds a worker's number on chain, registering the worker where it has none. */
export class Enrolment {
  // A number changes with a reorg only, which `SureNumbers` finds: who comes back asks the chain nothing here.
  private readonly known = new Map<Address, number>()
  private readonly refused = new Map<Address, Refusal>()
  /** Until then the lane registers nobody. Whoever has a number is let in all the same. */
  private closed: Refusal | undefined
  /** Anybody may dial, with as many keys as they like. */
  private readonly seldom: Seldom

  constructor(
    private readonly deps: {
      bus: Bus
      chain: Pick<EscrowReader, 'workerId' | 'registrationError'>
      clock: Clock
      log: Log
    },
  ) {
    this.seldom = new Seldom(deps.clock, deps.log)
  }

  async workerId(wish: RegisterWorker): Promise<Result<number, Ending>> {
    const known = this.known.get(wish.signer)
    if (known !== undefined) return ok(known)
    for (let tried = 1; ; tried++) {
      try {
        const reply = await this.ask(wish)
        if (reply.type === 'refused') {
          const code = reply.laterMs === undefined ? status.FAILED_PRECONDITION : status.UNAVAILABLE
          return err({ code, details: reply.reason })
        }
        this.known.set(wish.signer, reply.workerId)
        return ok(reply.workerId)
      } catch (error) {
        this.seldom.warn({ worker: wish.signer, tried, err: error }, 'worker number not found out')
        if (tried === TRIES) {
          const details = 'the chain or the registration service does not answer: dial again'
          return err({ code: status.UNAVAILABLE, details })
        }
        await pause(this.deps.clock, RETRY_MS)
      }
    }
  }

  /** The worker may have left the chain, or its number gone with a reorg: it is asked for again when it comes next. */
  forget(worker: Address): void {
    this.known.delete(worker)
  }

  private async ask(wish: RegisterWorker): Promise<RegisterReply> {
    const { bus, chain } = this.deps
    const refused = this.refusedOf(wish.signer)
    if (refused !== undefined) return { type: 'refused', reason: refused }
    const workerId = await chain.workerId(wish.signer)
    if (workerId !== undefined) return { type: 'registered', workerId }
    const closed = this.laterOf()
    if (closed) return closed
    // A transaction that would revert costs the service gas, each time that the worker dials.
    const error = await chain.registrationError(wish)
    if (error !== undefined && error !== REGISTERED_MEANWHILE) {
      return { type: 'refused', reason: this.refuse(wish.signer, error) }
    }
    const reply = await bus.request<RegisterReply>(SUBJECTS.workerRegister, wish, REGISTER_MS)
    if (reply.type === 'registered') return reply
    return reply.laterMs === undefined
      ? { ...reply, reason: this.refuse(wish.signer, reply.reason) }
      : this.close(reply.reason, reply.laterMs)
  }

  /** A flood of new keys asks the lane now and then, and not once a key. */
  private close(reason: string, laterMs: DurationMs): RegisterReply {
    const until = this.deps.clock.monotonic() + Math.min(laterMs, CLOSED_MS_MAX)
    const minutes = Math.ceil(laterMs / 60_000)
    const when = `one more may be in ${minutes} min: dial again`
    this.closed = { reason: `${told(reason)}; ${when}`, until }
    return { type: 'refused', reason: this.closed.reason, laterMs }
  }

  private laterOf(): RegisterReply | undefined {
    const leftMs = (this.closed?.until ?? 0) - this.deps.clock.monotonic()
    if (!this.closed || leftMs <= 0) return undefined
    return { type: 'refused', reason: this.closed.reason, laterMs: leftMs }
  }

  private refuse(worker: Address, error: string): string {
    const reason = error === 'Deactivated' ? deactivatedText(worker) : told(error)
    const until = this.deps.clock.monotonic() + REFUSED_MS
    keepNewest(this.refused, worker, { reason, until }, REFUSED_MAX)
    return reason
  }

  private refusedOf(worker: Address): string | undefined {
    const refusal = this.refused.get(worker)
    if (refusal && refusal.until > this.deps.clock.monotonic()) return refusal.reason
    this.refused.delete(worker)
    return undefined
  }
}

/** By another pool, for another payee: its number is there to be read. */
const REGISTERED_MEANWHILE = 'AlreadyRegistered'

const told = (error: string): string => `the worker cannot be registered: ${error}`
