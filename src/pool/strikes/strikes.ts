import { type Address, type JobId, parseJobId } from '../../domain/ids.ts'
import {
  type EquivocationRecord,
  equivocationKey,
  type Flaw,
  type FlawKind,
  type StrikeRecord,
} from '../../messages/strikes.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Registry } from '../../ports/registry.ts'
import type { Log } from '../../telemetry/log.ts'

export interface Culprit {
  readonly address: Address
  readonly workerId: number
}

interface Unsaved {
  readonly workerId: number
  readonly counts: Map<FlawKind, number>
  last: StrikeRecord['last']
}

const SAVE_MS = 1_000
const CONFLICTS_MOST = 8
/** In place of what cannot be the id of a job. */
const NO_JOB_ID = 'no job id'

/** Records what workers did against the rules, for operators and for the chain. */
export class Strikes {
  /** Gathered for a second, so that a flood of strikes is one write. */
  private unsaved = new Map<Address, Unsaved>()
  /** By key. */
  private equivocations = new Map<string, EquivocationRecord>()
  private readonly stopTicking: () => void

  constructor(
    private readonly options: {
      readonly strikes: Registry
      readonly clock: Clock
      readonly log: Log
    },
  ) {
    this.stopTicking = options.clock.every(SAVE_MS, () => void this.save())
  }

  /** @param saidId as the worker sent it: of any length, and holding anything */
  note({ address, workerId }: Culprit, saidId: string, flaw: Flaw): void {
    const { log, clock } = this.options
    const jobId = parseJobId(saidId).ok ? saidId : NO_JOB_ID
    log.warn({ worker: address, jobId, kind: flaw.kind, flaw: flaw.text }, 'worker broke the rules')
    const last = { jobId, flaw, at: clock.now() }
    const unsaved = this.unsaved.get(address) ?? { workerId, counts: new Map(), last }
    this.unsaved.set(address, unsaved)
    unsaved.last = last
    unsaved.counts.set(flaw.kind, (unsaved.counts.get(flaw.kind) ?? 0) + 1)
  }

  /** Keeps both signatures: they prove it to anyone. */
  equivocated(
    { address, workerId }: Culprit,
    jobId: JobId,
    completions: EquivocationRecord['completions'],
  ): void {
    const at = this.options.clock.now()
    const record = { worker: address, workerId, jobId, completions, at }
    this.equivocations.set(equivocationKey(address, jobId), record)
  }

  async stop(): Promise<void> {
    this.stopTicking()
    await this.save()
  }

  /** What cannot be written now is kept for the next time. */
  private async save(): Promise<void> {
    const [unsaved, equivocations] = [this.unsaved, this.equivocations]
    this.unsaved = new Map()
    this.equivocations = new Map()
    for (const [key, record] of equivocations) {
      await this.try(
        // One proof is enough, and the keeper may have dealt with it.
        async () => void (await this.options.strikes.put(key, record, 0)),
        () => this.equivocations.set(key, record),
      )
    }
    for (const [worker, each] of unsaved) {
      await this.try(
        () => this.add(worker, each),
        () => this.unsaved.set(worker, withCounts(each, this.unsaved.get(worker))),
      )
    }
  }

  private async try(write: () => Promise<void>, keep: () => void): Promise<void> {
    try {
      await write()
    } catch (error) {
      const { log } = this.options
      if (isTooLarge(error)) return log.error({ err: error }, 'strikes are too large to be stored')
      log.warn({ err: error }, 'strikes are not stored, will try again')
      keep()
    }
  }

  /** Other pools write of the same worker. */
  private async add(worker: Address, unsaved: Unsaved): Promise<void> {
    const { strikes } = this.options
    for (let tried = 0; tried < CONFLICTS_MOST; tried++) {
      const entry = await strikes.get(worker)
      const before = (entry?.value as StrikeRecord | undefined)?.counts ?? {}
      const counts = { ...before }
      for (const [kind, count] of unsaved.counts) counts[kind] = (counts[kind] ?? 0) + count
      const record = { worker, workerId: unsaved.workerId, counts, last: unsaved.last }
      if ((await strikes.put(worker, record, entry?.revision ?? 0)) !== 'conflict') return
    }
    throw new Error(`the record of ${worker} changed ${CONFLICTS_MOST} times while it was written`)
  }
}

/** Both together; what came later is the last. */
function withCounts(earlier: Unsaved, later: Unsaved | undefined): Unsaved {
  const counts = new Map(earlier.counts)
  for (const [kind, count] of later?.counts ?? []) counts.set(kind, (counts.get(kind) ?? 0) + count)
  return { ...earlier, counts, last: later?.last ?? earlier.last }
}

/** The server's word for what it will not take at any time. */
const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'MAX_PAYLOAD_EXCEEDED'
