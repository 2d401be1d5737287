import type { ConnectResponse } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { inBatches, together } from '../../domain/batches.ts'
import type { DurationMs } from '../../domain/time.ts'
import type { Clock } from '../../ports/clock.ts'
import {
  cutCall,
  type Ending,
  endCall,
  LAST_READ_MS,
  type ToWorker,
  type WorkerCall,
} from './worker-call.ts'

/**
 * What is said to a worker over one stream. gRPC writes a message once the one before it is written, which
 * takes a turn of the event loop each. So to a worker that reads batches all that one turn says goes as one.
 */
export class WorkerLine {
  private waiting: ToWorker[] = []
  private scheduled = false
  /** Written here, and not on its way yet. */
  private unsent = 0
  private movedAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly call: WorkerCall,
    private readonly clock: Clock,
    private readonly batches: boolean,
  ) {}

  /** How long nothing has left, though something was to. */
  get stuckMs(): DurationMs {
    return this.unsent === 0 ? 0 : this.clock.monotonic() - this.movedAt
  }

  say(message: ToWorker): void {
    this.waiting.push(message)
    if (!this.batches) this.flush()
    else if (!this.scheduled) {
      this.scheduled = true
      setImmediate(() => this.flush())
    }
  }

  /**
   * Ends the stream, after all that was said over it. The status waits behind what the worker does not
   * read; where it goes on not to, or leaves its own side open, the stream is cut, so that nothing of it
   * stays in memory.
   */
  end(ending: Ending): void {
    this.flush()
    endCall(this.call, ending)
    this.cutOnceQuiet(LAST_READ_MS)
  }

  /** One that reads on, over a slow line, has all of it. */
  private cutOnceQuiet(inMs: DurationMs): void {
    this.clock.after(inMs, () => {
      const quietMs = this.clock.monotonic() - this.movedAt
      if (quietMs >= LAST_READ_MS) cutCall(this.call)
      else this.cutOnceQuiet(LAST_READ_MS - quietMs)
    })
  }

  private flush(): void {
    this.scheduled = false
    const said = this.waiting
    this.waiting = []
    for (const batch of inBatches(said, unitsOf)) this.write(together(batch))
  }

  private write(response: ConnectResponse): void {
    const { call, clock } = this
    if (call.destroyed || call.writableEnded) return
    if (this.unsent++ === 0) this.movedAt = clock.monotonic()
    call.write(response, () => {
      this.unsent--
      this.movedAt = clock.monotonic()
    })
  }
}

const unitsOf = (message: ToWorker): number =>
  message.$case === 'offer'
    ? message.value.messages.reduce((sum, { content }) => sum + content.length, 0)
    : 0
