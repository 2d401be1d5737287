import { status } from '@grpc/grpc-js'
import type { Address } from '../domain/ids.ts'
import { err, ok, type Result } from '../domain/result.ts'
import type { RegisterReply, RegisterWorker } from '../messages/lane.ts'
import { SUBJECTS } from '../messages/subjects.ts'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { EscrowReader } from '../ports/escrow.ts'
import type { Log } from '../telemetry/log.ts'
import type { Ending } from './session.ts'

const TRIES = 3
const RETRY_MS = 500
const REGISTER_MS = 30_000

/** Finds a worker's number on chain, registering the worker where it has none. */
export class Enrolment {
  // A number never changes, so reconnecting workers cost the chain nothing.
  private readonly known = new Map<Address, number>()

  constructor(
    private readonly deps: {
      bus: Bus
      chain: Pick<EscrowReader, 'workerId'>
      clock: Clock
      log: Log
    },
  ) {}

  async workerId(wish: RegisterWorker): Promise<Result<number, Ending>> {
    const known = this.known.get(wish.signer)
    if (known !== undefined) return ok(known)
    for (let tried = 1; ; tried++) {
      try {
        const reply = await this.ask(wish)
        if (reply.type === 'refused') {
          const details = `the worker cannot be registered: ${reply.reason}`
          return err({ code: status.FAILED_PRECONDITION, details })
        }
        this.known.set(wish.signer, reply.workerId)
        return ok(reply.workerId)
      } catch (error) {
        this.deps.log.warn(
          { worker: wish.signer, tried, err: error },
          'worker number not found out',
        )
        if (tried === TRIES) {
          const details = 'the chain or the registration service does not answer: dial again'
          return err({ code: status.UNAVAILABLE, details })
        }
        await new Promise<void>((resolve) => this.deps.clock.after(RETRY_MS, resolve))
      }
    }
  }

  private async ask(wish: RegisterWorker): Promise<RegisterReply> {
    const { bus, chain } = this.deps
    const workerId = await chain.workerId(wish.signer)
    if (workerId !== undefined) return { type: 'registered', workerId }
    return bus.request<RegisterReply>(SUBJECTS.workerRegister, wish, REGISTER_MS)
  }
}
