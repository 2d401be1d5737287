import type { Address } from '../../domain/ids.ts'
import type { UnixMs } from '../../domain/time.ts'
import { type AdmissionRecord, admittedModels } from '../../messages/admission.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Registry } from '../../ports/registry.ts'
import type { Log } from '../../telemetry/log.ts'

export interface Applicant {
  readonly address: Address
  /** Agent and engine, with their versions. */
  readonly software: string
}

type Models = ReadonlyMap<string, UnixMs>

const CONFLICTS_MOST = 8

/**
 * What workers have shown, as all pools know it. It spares them canary jobs and decides nothing else:
 * a record that cannot be read or written costs the worker one more of them, and holds nobody up.
 */
export class Admissions {
  /** The last write of each worker that is not done yet: they happen one after the other. */
  private readonly writing = new Map<Address, Promise<void>>()

  constructor(
    private readonly deps: {
      /** Bucket ADMITTED. */
      readonly admitted: Registry
      readonly clock: Clock
      readonly log: Log
    },
  ) {}

  /** Models whose canary job it need not run again, with the time. Never rejects. */
  async of({ address, software }: Applicant): Promise<Models> {
    const { admitted, clock, log } = this.deps
    try {
      await this.writing.get(address)
      const entry = await admitted.get(address)
      return admittedModels(entry?.value, software, clock.now())
    } catch (error) {
      log.warn({ err: error, worker: address }, 'canary: what a worker has shown cannot be read')
      return new Map()
    }
  }

  /** Adds to what it has shown: none of it becomes older by that. */
  add({ address, software }: Applicant, models: Models): void {
    this.write(address, async () => {
      const { admitted, clock } = this.deps
      for (let tried = 0; tried < CONFLICTS_MOST; tried++) {
        const entry = await admitted.get(address)
        const all = new Map(admittedModels(entry?.value, software, clock.now()))
        for (const [model, at] of models) if (at > (all.get(model) ?? 0)) all.set(model, at)
        const record: AdmissionRecord = { software, models: Object.fromEntries(all) }
        if ((await admitted.put(address, record, entry?.revision ?? 0)) !== 'conflict') return
      }
      throw new Error(`the record of ${address} changed ${CONFLICTS_MOST} times`)
    })
  }

  /** It has to show everything again. */
  revoke(address: Address): void {
    this.write(address, async () => {
      await this.deps.admitted.delete(address)
    })
  }

  /** Resolves when all that was to be written is, or cannot be. */
  async settled(): Promise<void> {
    await Promise.all(this.writing.values())
  }

  private write(address: Address, action: () => Promise<void>): void {
    const before = this.writing.get(address) ?? Promise.resolve()
    const done = before.then(action).catch((error: unknown) => {
      this.deps.log.warn({ err: error, worker: address }, 'canary: what it has shown is not kept')
    })
    this.writing.set(address, done)
    void done.then(() => {
      if (this.writing.get(address) === done) this.writing.delete(address)
    })
  }
}
