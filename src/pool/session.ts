import { type ServerDuplexStream, status } from '@grpc/grpc-js'
import type { ConnectRequest, ConnectResponse } from '../../proto/gen/svc/worker/v1/worker.ts'
import type { DurationMs } from '../domain/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { WorkerProfile } from './registry/state.ts'

export type FromWorker = NonNullable<ConnectRequest['message']>
export type ToWorker = NonNullable<ConnectResponse['message']>
export type WorkerCall = ServerDuplexStream<ConnectRequest, ConnectResponse>

export const HEARTBEAT_MS: DurationMs = 2_000
const SILENT_INTERVALS_MAX = 3
/** Offers that a worker has not read yet; one that lets them pile up is stuck. */
const UNSENT_BYTES_MAX = 64 * 1024 * 1024

/** How a session ends: a gRPC status and a word for the people on the other side. */
export interface Ending {
  readonly code: status
  readonly details: string
}

/** One worker that has been welcomed, for as long as its stream lives. */
export class Session {
  /** Jobs that were cancelled and hold their slot until the worker lets go, with what frees it. */
  readonly releasing = new Map<string, () => void>()
  private heardAt: number
  private closed = false
  private readonly stopHeartbeat: () => void

  constructor(
    readonly profile: WorkerProfile,
    private readonly call: WorkerCall,
    private readonly clock: Clock,
    /** Called once, when nothing more will come. */
    private readonly onClosed: (session: Session) => void,
  ) {
    this.heardAt = clock.monotonic()
    this.stopHeartbeat = clock.every(HEARTBEAT_MS, () => this.beat())
    call.on('end', () => this.end({ code: status.OK, details: 'the worker left' }))
    call.on('cancelled', () => this.close())
    call.on('error', () => this.close())
    if (call.cancelled) queueMicrotask(() => this.close())
  }

  get address() {
    return this.profile.address
  }

  heard(): void {
    this.heardAt = this.clock.monotonic()
  }

  send(message: ToWorker): void {
    if (this.closed) return
    this.call.write({ message })
    if (this.call.writableLength > UNSENT_BYTES_MAX) {
      this.end({ code: status.RESOURCE_EXHAUSTED, details: 'offers are not being read' })
    }
  }

  cancel(jobId: string, settle: boolean): void {
    this.send({ $case: 'cancel', value: { jobId, settle } })
  }

  end(ending: Ending): void {
    if (this.closed) return
    endCall(this.call, ending)
    this.close()
  }

  beat(): void {
    const silentMs = this.clock.monotonic() - this.heardAt
    if (silentMs > HEARTBEAT_MS * SILENT_INTERVALS_MAX) {
      this.end({ code: status.DEADLINE_EXCEEDED, details: 'no heartbeat for three intervals' })
    } else {
      this.send({ $case: 'heartbeat', value: { sentAt: this.clock.now() } })
    }
  }

  private close(): void {
    if (this.closed) return
    this.closed = true
    this.stopHeartbeat()
    this.onClosed(this)
    for (const release of [...this.releasing.values()]) release()
  }
}

/** Ends a stream with a status; grpc-js takes one from an `error` event. */
export function endCall(call: WorkerCall, { code, details }: Ending): void {
  if (code === status.OK) call.end()
  else call.emit('error', { code, details })
}
