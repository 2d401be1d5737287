import type { ConnectResponse } from '../../proto/gen/svc/worker/v1/worker.ts'
import { inBatches, together } from '../domain/batches.ts'
import type { ToWorker, WorkerCall } from './worker-call.ts'

/**
 * What is said to a worker over one stream. gRPC writes a message once the one before it is written, which
 * takes a turn of the event loop each. So to a worker that reads batches all that one turn says goes as one.
 */
export class WorkerLine {
  private waiting: ToWorker[] = []
  private scheduled = false
  /** UTF-16 units of prompts that the worker has not read yet. */
  unsentUnits = 0

  constructor(
    private readonly call: WorkerCall,
    private readonly batches: boolean,
  ) {}

  say(message: ToWorker): void {
    this.waiting.push(message)
    if (!this.batches) this.flush()
    else if (!this.scheduled) {
      this.scheduled = true
      setImmediate(() => this.flush())
    }
  }

  flush(): void {
    this.scheduled = false
    const said = this.waiting
    this.waiting = []
    for (const batch of inBatches(said, unitsOf)) {
      const units = batch.reduce((sum, message) => sum + unitsOf(message), 0)
      this.write(together(batch), units)
    }
  }

  private write(response: ConnectResponse, units: number): void {
    const { call } = this
    if (call.destroyed || call.writableEnded) return
    this.unsentUnits += units
    call.write(response, () => {
      this.unsentUnits -= units
    })
  }
}

const unitsOf = (message: ToWorker): number =>
  message.$case === 'offer'
    ? message.value.messages.reduce((sum, { content }) => sum + content.length, 0)
    : 0
