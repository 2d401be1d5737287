import { EventEmitter } from 'node:events'
import type { ConnectRequest, ConnectResponse } from '../../../proto/gen/svc/worker/v1/worker.ts'
import type { WorkerCall } from '../../../src/pool/session/worker-call.ts'
import type { Node, World } from '../world.ts'
import { Line } from './line.ts'

export type FromWorker = NonNullable<ConnectRequest['message']>
export type ToWorker = NonNullable<ConnectResponse['message']>

/** What a worker hears over its stream. */
export interface StreamListener {
  heard(message: ToWorker): void
  /** Once: nothing more will come. `code` as in gRPC; undefined: the stream was cut. */
  ended(code: number | undefined, details: string): void
}

/** A side that hears nothing more for so long takes the stream for broken, by keepalive. */
const SILENT_MS = 8_000

/**
 * One gRPC stream between a worker and a pool: what is sent arrives in order or, once the stream is
 * broken, not at all. The pool's side is what the pool's own code takes for a call.
 */
export class Stream {
  readonly call: WorkerCall
  readonly #side: PoolSide
  #isBroken = false
  #workerIsTold = false
  #poolIsTold = false
  readonly #toPool: Line
  readonly #toWorker: Line

  constructor(
    private readonly world: World,
    private readonly options: {
      readonly worker: string
      readonly pool: Node
      readonly listener: StreamListener
    },
  ) {
    const { pool } = options
    // In the pool's own time: a pool that stands still reads later, one that died never.
    this.#toPool = new Line(world, (ms, act) => void pool.clock.after(ms, act))
    this.#toWorker = new Line(world, (ms, act) => void world.after(ms, act))
    this.#side = new PoolSide({
      write: (message) => this.#fromPool(message),
      end: (code, details) => this.#endedByPool(code, details),
      cut: () => this.reset(),
    })
    // Of a gRPC call the pool uses no more than is there.
    this.call = this.#side as unknown as WorkerCall
    pool.onDeath(() => this.reset())
  }

  get isOpen(): boolean {
    return !this.#isBroken
  }

  /** From the worker. */
  say(message: FromWorker): void {
    if (this.#isBroken || this.#breaks()) return
    this.#toPool.put(() => {
      if (!this.#poolIsTold) this.#side.emit('data', { message })
    })
  }

  /** The worker ends it in good order. */
  end(): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.#workerIsTold = true
    this.#toPool.put(() => this.#tellPool('end'))
  }

  /** Both sides find it broken as soon as the news reaches them. */
  reset(): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.#toPool.put(() => this.#tellPool('cancelled'))
    this.#toWorker.put(() => this.#tellWorker(undefined, 'the stream was reset'))
  }

  /** Nothing crosses it any more, and nobody is told. */
  fallSilent(): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.options.pool.clock.after(SILENT_MS, () => this.#tellPool('cancelled'))
    this.world.after(SILENT_MS, () => this.#tellWorker(undefined, 'keepalive: no answer'))
  }

  #fromPool(message: ToWorker): void {
    if (this.#isBroken || this.#breaks()) return
    this.#toWorker.put(() => {
      if (!this.#workerIsTold) this.options.listener.heard(message)
    })
  }

  #endedByPool(code: number, details: string): void {
    if (this.#poolIsTold) return
    this.#poolIsTold = true
    if (this.#isBroken) return
    this.#isBroken = true
    this.#toWorker.put(() => this.#tellWorker(code, details))
  }

  #breaks(): boolean {
    const { world, options } = this
    if (world.faults.cut(options.worker, options.pool.name)) this.fallSilent()
    else if (world.random.chance(world.faults.lostRequest / 8)) this.reset()
    return this.#isBroken
  }

  #tellPool(how: 'end' | 'cancelled'): void {
    if (this.#poolIsTold) return
    this.#poolIsTold = true
    this.#side.over(how)
  }

  #tellWorker(code: number | undefined, details: string): void {
    if (this.#workerIsTold) return
    this.#workerIsTold = true
    this.options.listener.ended(code, details)
  }
}

interface Wire {
  write(message: ToWorker): void
  end(code: number, details: string): void
  cut(): void
}

/** What the pool's code uses of a server call of grpc-js. */
class PoolSide extends EventEmitter {
  cancelled = false
  readableEnded = false
  readonly writableLength = 0

  constructor(private readonly wire: Wire) {
    super()
    // As of a real call: an `error` that the pool emits becomes the status of the stream.
    this.on('error', ({ code, details }: { code?: number; details?: string }) => {
      if (code !== undefined) wire.end(code, details ?? '')
    })
  }

  write({ message }: ConnectResponse, written?: () => void): boolean {
    const said = message?.$case === 'batch' ? message.value.messages : [{ message }]
    for (const one of said) {
      if (one.message && one.message.$case !== 'batch') this.wire.write(one.message)
    }
    written?.()
    return true
  }

  end(): void {
    this.wire.end(0, '')
  }

  destroy(): void {
    this.wire.cut()
  }

  over(how: 'end' | 'cancelled'): void {
    if (how === 'end') this.readableEnded = true
    else this.cancelled = true
    this.emit(how)
  }
}
