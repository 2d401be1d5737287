import type { ClientDuplexStream } from '@grpc/grpc-js'
import type {
  Chunk,
  ConnectRequest,
  ConnectResponse,
} from '../../proto/gen/svc/worker/v1/worker.ts'
import { inBatches, together } from '../domain/batches.ts'

export type PoolCall = ClientDuplexStream<ConnectRequest, ConnectResponse>
export type ToPool = Exclude<NonNullable<ConnectRequest['message']>, { $case: 'batch' }>

/** The text of one job on its way out. */
export interface AnswerStream {
  readonly jobId: string
  /** As it is sent: chunks by number. */
  readonly texts: string[]
}

/** A pool that reads nothing for this long is as good as gone. */
const STUCK_MS = 20_000

/**
 * What leaves for one pool, over one connection after the other; while there is none, nothing does.
 * Text of all jobs that falls into one turn of the event loop goes as one message, text of one job in
 * one turn as one chunk. To a pool that reads batches all that one turn says goes as one: gRPC writes a
 * message once the one before it is written, a turn later, and a turn of a busy agent is long.
 */
export class Outgoing {
  private call: PoolCall | undefined
  private batches = false
  private waiting: ToPool[] = []
  /** Those whose last chunk still grows. */
  private readonly open = new Set<AnswerStream>()
  private scheduled = false
  private drained: Promise<void> | null = null

  /**
   * From now on over this connection.
   * @param batches whether the pool reads them
   */
  attach(call: PoolCall, batches: boolean): void {
    this.call = call
    this.batches = batches
    this.waiting = []
    this.open.clear()
    this.drained = null
  }

  detach(): void {
    this.call = undefined
  }

  text(stream: AnswerStream, text: string): void {
    if (text !== '') this.add(stream, text)
  }

  /** A chunk without text: the answer goes on. */
  signOfLife(stream: AnswerStream): void {
    this.add(stream, '')
  }

  private add(stream: AnswerStream, text: string): void {
    if (this.open.has(stream)) stream.texts.push(`${stream.texts.pop()}${text}`)
    else {
      this.open.add(stream)
      stream.texts.push(text)
    }
    this.schedule()
  }

  /** Sends a message, after all text before it. */
  send(message: ToPool): void {
    this.endChunks()
    this.say(message)
  }

  /** Sends the chunks from number `from` on as they were before. */
  again({ jobId, texts }: AnswerStream, from: number): void {
    this.sayChunks(texts.slice(from).map((text, i) => ({ jobId, seq: from + i, text })))
  }

  /** Resolves at once, or when the connection takes more. */
  ready(): Promise<void> {
    return this.drained ?? DONE
  }

  /** Sends what this turn has said so far. */
  flush(): void {
    this.scheduled = false
    this.endChunks()
    this.sayWaiting()
  }

  private schedule(): void {
    if (this.scheduled) return
    this.scheduled = true
    setImmediate(() => this.flush())
  }

  private say(message: ToPool): void {
    this.waiting.push(message)
    if (this.batches) this.schedule()
    else this.sayWaiting()
  }

  private sayWaiting(): void {
    const said = this.waiting
    this.waiting = []
    for (const batch of inBatches(said, unitsOf)) this.write(together(batch))
  }

  private endChunks(): void {
    if (this.open.size === 0) return
    const chunks = [...this.open].map(({ jobId, texts }) => {
      const seq = texts.length - 1
      return { jobId, seq, text: texts[seq]! }
    })
    this.open.clear()
    this.sayChunks(chunks)
  }

  private sayChunks(all: readonly Chunk[]): void {
    for (const chunks of inBatches(all, ({ text }) => text.length)) {
      this.say({ $case: 'chunks', value: { chunks } })
    }
  }

  private write(request: ConnectRequest): void {
    const { call } = this
    if (!call || call.destroyed || call.writableEnded) return
    if (call.write(request) || this.drained) return
    const drained = new Promise<void>((resolve) => {
      const stuck = setTimeout(() => call.cancel(), STUCK_MS)
      const done = () => {
        clearTimeout(stuck)
        call.off('drain', done)
        call.off('status', done)
        if (this.drained === drained) this.drained = null
        resolve()
      }
      call.once('drain', done)
      // After the end of the stream nothing drains any more, and with something unwritten it is never closed.
      call.once('status', done)
    })
    this.drained = drained
  }
}

const DONE = Promise.resolve()

const unitsOf = (message: ToPool): number =>
  message.$case === 'chunks'
    ? message.value.chunks.reduce((sum, { text }) => sum + text.length, 0)
    : 0
