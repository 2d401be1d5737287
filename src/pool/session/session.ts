import { status } from '@grpc/grpc-js'
import { trim } from '../../domain/newest.ts'
import type { DurationMs, UnixMs } from '../../domain/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ClaimRead } from '../proof/signed-claim.ts'
import type { WorkerProfile } from '../registry/state.ts'
import { SessionTokens } from './session-tokens.ts'
import {
  type Ending,
  type FromWorker,
  type Received,
  saidIn,
  type ToWorker,
  unreadable,
  type WorkerCall,
} from './worker-call.ts'
import { WorkerLine } from './worker-line.ts'

export const HEARTBEAT_MS: DurationMs = 2_000
const SILENT_INTERVALS_MAX = 3
/**
 * How long a worker may take to be back after its stream broke. A proxy that restarts or a network
 * that changes address is back within it; a caller that waits in the middle of an answer, or for the
 * first word of one that nobody else is free for, hears of a worker that is dead no later.
 */
export const RESUME_MS: DurationMs = 5_000
/** A worker that reads nothing for so long, while offers pile up, is as good as gone. */
const STUCK_MS: DurationMs = 20_000

/** A worker as it introduced itself. */
export interface MetWorker extends WorkerProfile {
  /** All that it says it can serve, and with which context; 0: as the catalogue says. */
  readonly offered: ReadonlyMap<string, number>
  /** As its operator calls it. */
  readonly region: string
  /** Agent and engine with their versions, as it tells them. */
  readonly software: string
  /** Of the worker protocol. */
  readonly protocol: number
  /** Models that it has shown to serve of late, by a canary job, and when. */
  readonly shown: ReadonlyMap<string, UnixMs>
  /** It goes on with its jobs after a broken stream, if it is let. */
  readonly resumes: boolean
  /** It reads several messages in one. */
  readonly batches: boolean
}

/** How a job ended at a worker. */
export interface JobEnding {
  /** `pool`: it was told to stop, and more may have been on its way. */
  readonly by: 'worker' | 'pool'
  /** What it sent as its proof, right or wrong. A worker's memory here is not the worker's to size. */
  readonly claim: ClaimRead | undefined
  /** How many chunks of it had come. */
  readonly chunks: number
}

export interface SessionListener {
  received(session: Session, message: FromWorker): void
  /** The stream broke. @returns whether the worker is waited for */
  streamBroke(session: Session): boolean
  /** Called once, when nothing more will come. */
  closed(session: Session): void
}

/** Besides two for each slot, for the same reason. */
const ENDED_MOST = 256

/** One worker that has been welcomed, over one stream after the other while it may resume. */
export class Session {
  /** Jobs that were cancelled and hold their slot until the worker lets go, with what frees it. */
  readonly releasing = new Map<string, () => void>()
  /** Jobs that ended here of late, oldest first. */
  readonly ended = new Map<string, JobEnding>()
  /** Those of them that ended over an earlier stream: the worker may not know, and tell them again. */
  private endedBefore = new Set<string>()
  readonly tokens: SessionTokens
  /** What it did against the rules. */
  strikes = 0
  /** Models that it offered and then refused a job of. */
  readonly notServed = new Set<string>()
  private heardAt: number
  private workedAt = Number.NEGATIVE_INFINITY
  private closed = false
  /** Undefined while the worker is waited for, and after the end. */
  private line: WorkerLine | undefined
  private stopWaiting = () => {}
  private readonly stopHeartbeat: () => void

  constructor(
    readonly profile: MetWorker,
    private readonly clock: Clock,
    private readonly listener: SessionListener,
  ) {
    this.heardAt = clock.monotonic()
    this.tokens = new SessionTokens(clock)
    this.stopHeartbeat = clock.every(HEARTBEAT_MS, () => this.beat())
  }

  /** Nothing that still comes in counts. */
  get isOver(): boolean {
    return this.closed
  }
  /** The stream broke, and the worker has a while to come back. */
  get isSuspended(): boolean {
    return !this.closed && !this.line
  }

  /** It has said something of its jobs within the last `spanMs`, not only that it is there. */
  hasWorkedWithin(spanMs: DurationMs): boolean {
    return this.clock.monotonic() - this.workedAt <= spanMs
  }

  get address() {
    return this.profile.address
  }

  /** Goes on over this stream; one that it replaces is ended, and what still comes over it is lost. */
  speakOver(call: WorkerCall): void {
    const before = this.line
    this.stopWaiting()
    const line = new WorkerLine(call, this.clock, this.profile.batches)
    this.line = line
    this.heardAt = this.clock.monotonic()
    this.endedBefore = new Set(this.ended.keys())
    const current = (act: () => void) => () => {
      if (this.line === line) act()
    }
    call.on('data', (request: Received) => {
      // Dialling again does not help such a worker: its jobs do not wait for it.
      if (request.flaw && this.line === line) this.end(unreadable(request.flaw))
      for (const message of saidIn(request)) if (this.line === line) this.hear(message)
    })
    // A worker that leaves says Drain before; without it a stream that is reset ends like this too.
    call.on(
      'end',
      current(() => this.breakOff(LEFT)),
    )
    call.on(
      'cancelled',
      current(() => this.breakOff()),
    )
    call.on(
      'error',
      current(() => this.breakOff()),
    )
    before?.end(REPLACED)
    if (call.cancelled) queueMicrotask(current(() => this.breakOff()))
  }

  send(message: ToWorker): void {
    this.line?.say(message)
  }

  /** A job was offered here and is no longer. */
  jobEnded(jobId: string, ending: JobEnding): void {
    this.ended.set(jobId, ending)
    this.endedBefore.delete(jobId)
    trim(this.ended, ENDED_MOST + 2 * this.profile.slots)
  }

  /** Whether the worker may have missed that this job has ended. */
  mayRepeat(jobId: string): boolean {
    return this.endedBefore.has(jobId)
  }

  cancel(jobId: string, settle: boolean): void {
    this.send({ $case: 'cancel', value: { jobId, settle } })
  }

  end(ending: Ending): void {
    const line = this.line
    this.line = undefined
    line?.end(ending)
    this.close()
  }

  beat(): void {
    if (!this.line) return
    const silentMs = this.clock.monotonic() - this.heardAt
    if (silentMs > HEARTBEAT_MS * SILENT_INTERVALS_MAX) this.breakOff(SILENT)
    else if (this.line.stuckMs > STUCK_MS) this.end(STUCK)
    else this.send({ $case: 'heartbeat', value: { sentAt: this.clock.now() } })
  }

  private hear(message: FromWorker): void {
    this.heardAt = this.clock.monotonic()
    if (message.$case !== 'heartbeat') this.workedAt = this.heardAt
    this.tokens.arrived()
    this.listener.received(this, message)
  }

  /** The stream is of no more use. @param ending where it is there to be told */
  private breakOff(ending?: Ending): void {
    const line = this.line
    this.line = undefined
    if (ending) line?.end(ending)
    if (this.listener.streamBroke(this)) {
      this.stopWaiting = this.clock.after(RESUME_MS, () => this.close())
    } else this.close()
  }

  private close(): void {
    if (this.closed) return
    this.closed = true
    this.stopWaiting()
    this.stopHeartbeat()
    this.listener.closed(this)
    for (const release of [...this.releasing.values()]) release()
  }
}

const LEFT: Ending = { code: status.OK, details: 'the worker left' }
const SILENT: Ending = {
  code: status.DEADLINE_EXCEEDED,
  details: 'no heartbeat for three intervals',
}
const STUCK: Ending = {
  code: status.RESOURCE_EXHAUSTED,
  details: 'offers are not being read',
}
const REPLACED: Ending = {
  code: status.ABORTED,
  details: 'the session goes on over another stream',
}
