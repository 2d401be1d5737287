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
  /** As it is sent: chunks by number. */
  readonly texts: string[]
}

/** A pool that reads nothing for this long is as good as gone. */
const STUCK_MS = 20_000
/** UTF-16 units in one message of chunks that are sent again: well below what a pool takes. */
const AGAIN_UNITS_MAX = 1024 * 1024

/**
 * What leaves for one pool, over one connection after the other; while there is none, nothing does.
 * Text of all jobs that falls into one turn of the event loop goes as one message, text of one job in
 * one turn as one chunk.
 */
export class Outgoing {
  private call: PoolCall | undefined
  /** Those whose last chunk still grows. */
  private readonly open = new Set<AnswerStream>()
  private scheduled = false
  private drained: Promise<void> | null = null

  /** From now on over this connection. */
  attach(call: PoolCall): void {
    this.call = call
    this.open.clear()
    this.drained = null
  }

  detach(): void {
    this.call = undefined
  }

  text(stream: AnswerStream, text: string): void {
    if (text === '') return
    if (this.open.has(stream)) stream.texts.push(`${stream.texts.pop()}${text}`)
    else {
      this.open.add(stream)
      stream.texts.push(text)
    }
    if (this.scheduled) return
    this.scheduled = true
    setImmediate(() => this.flush())
  }

  /** Sends a message, after all text before it. */
  send(message: ToPool): void {
    this.flush()
    this.write(message)
  }

  /** Sends the chunks from number `from` on as they were before. */
  again({ jobId, texts }: AnswerStream, from: number): void {
    let chunks: Chunk[] = []
    let units = 0
    for (let seq = from; seq < texts.length; seq++) {
      const text = texts[seq]!
      if (chunks.length > 0 && units + text.length > AGAIN_UNITS_MAX) {
        this.write({ $case: 'chunks', value: { chunks } })
        chunks = []
        units = 0
      }
      chunks.push({ jobId, seq, text })
      units += text.length
    }
    if (chunks.length > 0) this.write({ $case: 'chunks', value: { chunks } })
  }

  /** Resolves at once, or when the connection takes more. */
  ready(): Promise<void> {
    return this.drained ?? DONE
  }

  private flush(): void {
    this.scheduled = false
    if (this.open.size === 0) return
    const chunks = [...this.open].map(({ jobId, texts }) => {
      const seq = texts.length - 1
      return { jobId, seq, text: texts[seq]! }
    })
    this.open.clear()
    this.write({ $case: 'chunks', value: { chunks } })
  }

  private write(message: ToPool): void {
    const { call } = this
    if (!call || call.destroyed || call.writableEnded) return
    if (call.write({ message }) || this.drained) return
    const drained = new Promise<void>((resolve) => {
      const stuck = setTimeout(() => call.cancel(), STUCK_MS)
      const done = () => {
        clearTimeout(stuck)
        call.off('drain', done)
        call.off('close', done)
        if (this.drained === drained) this.drained = null
        resolve()
      }
      call.once('drain', done)
      // After the end of the stream nothing drains any more.
      call.once('close', done)
    })
    this.drained = drained
  }
}

const DONE = Promise.resolve()
