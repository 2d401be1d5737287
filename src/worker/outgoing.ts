import type { ClientDuplexStream } from '@grpc/grpc-js'
import type {
  Chunk,
  ConnectRequest,
  ConnectResponse,
} from '../../proto/gen/svc/worker/v1/worker.ts'

export type PoolCall = ClientDuplexStream<ConnectRequest, ConnectResponse>
export type ToPool = NonNullable<ConnectRequest['message']>

/** The text of one job on its way out. */
export interface AnswerStream {
  readonly jobId: string
  /** Chunks numbered so far. */
  chunks: number
}

/** A pool that reads nothing for this long is as good as gone. */
const STUCK_MS = 20_000

/**
 * What leaves for the pool. Text of all jobs that falls into one turn of the event loop goes as one
 * message, text of one job in one turn as one chunk.
 */
export class Outgoing {
  private readonly open = new Map<string, Chunk>()
  private scheduled = false
  private drained: Promise<void> | null = null

  constructor(private readonly call: PoolCall) {}

  text(stream: AnswerStream, text: string): void {
    if (text === '') return
    const chunk = this.open.get(stream.jobId)
    if (chunk) chunk.text += text
    else this.open.set(stream.jobId, { jobId: stream.jobId, seq: stream.chunks++, text })
    if (this.scheduled) return
    this.scheduled = true
    setImmediate(() => this.flush())
  }

  /** Sends a message, after all text before it. */
  send(message: ToPool): void {
    this.flush()
    this.write(message)
  }

  /** Resolves at once, or when the connection takes more. */
  ready(): Promise<void> {
    return this.drained ?? DONE
  }

  private flush(): void {
    this.scheduled = false
    if (this.open.size === 0) return
    const chunks = [...this.open.values()]
    this.open.clear()
    this.write({ $case: 'chunks', value: { chunks } })
  }

  private write(message: ToPool): void {
    if (this.call.destroyed || this.call.writableEnded) return
    if (this.call.write({ message }) || this.drained) return
    this.drained = new Promise((resolve) => {
      const stuck = setTimeout(() => this.call.cancel(), STUCK_MS)
      const done = () => {
        clearTimeout(stuck)
        this.call.off('drain', done)
        this.call.off('close', done)
        this.drained = null
        resolve()
      }
      this.call.once('drain', done)
      // After the end of the stream nothing drains any more.
      this.call.once('close', done)
    })
  }
}

const DONE = Promise.resolve()
