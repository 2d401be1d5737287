import type { Address } from '../../domain/ids.ts'
import { registeredId, type WorkerRegistered } from '../../messages/fact.ts'
import { type Clock, pause } from '../../ports/clock.ts'
import type { Facts } from '../../ports/facts.ts'
import type { Registry } from '../../ports/registry.ts'
import type { Log } from '../../telemetry/log.ts'

interface Deps {
  readonly facts: Facts
  /** Bucket WORKERS: who has been told of. */
  readonly marks: Registry
  /** The contract that workers are registered with, and its chain, in the characters of a key. */
  readonly network: string
  readonly clock: Clock
  readonly log: Log
}

const RETRY_MIN_MS = 200
const RETRY_MAX_MS = 5_000

/**
 * Tells `worker.registered` of each worker once, whichever pool meets it first. The mark is written
 * after the telling: a pool that is killed in between leaves it to the next one that meets the
 * worker, under the same id.
 */
export class Newcomers {
  /** Told of, or about to be: a worker that comes back costs nothing. */
  private readonly met = new Set<Address>()
  private stopped = false

  constructor(private readonly deps: Deps) {}

  /** Of a worker that has been welcomed. Holds nothing up: it goes on by itself until it is done. */
  welcome(worker: Address, models: readonly string[], region: string): void {
    if (this.met.has(worker)) return
    this.met.add(worker)
    void this.untilTold({
      id: registeredId(worker, this.deps.network),
      type: 'worker.registered',
      worker,
      at: this.deps.clock.now(),
      data: { worker_address: worker, models, region },
    })
  }

  stop(): void {
    this.stopped = true
  }

  private async untilTold(fact: WorkerRegistered): Promise<void> {
    const { clock, log } = this.deps
    let waitMs = RETRY_MIN_MS
    while (!this.stopped) {
      try {
        return await this.tell(fact)
      } catch (error) {
        log.warn({ err: error, worker: fact.worker }, 'pool: a new worker is not told of yet')
        await pause(clock, waitMs)
        waitMs = Math.min(RETRY_MAX_MS, 2 * waitMs)
      }
    }
  }

  private async tell(fact: WorkerRegistered): Promise<void> {
    const { facts, marks, network } = this.deps
    const key = `${network}.${fact.worker}`
    if (await marks.get(key)) return
    await facts.publish(fact)
    await marks.set(key, { toldAt: fact.at })
  }
}
