import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { Clock } from '../../ports/clock.ts'

/** A reader that lets this much pile up, and is slow, is cut off: it costs every other one memory. */
const BACKLOG_BYTES = 1024 * 1024
/** Slow: it took nothing for so long. An upstream may bring megabytes at once, to a reader that reads well. */
const SLOW_MS = 2_000
/** More than any answer of a model is. Nobody may let so much pile up. */
const BACKLOG_BYTES_MAX = 32 * 1024 * 1024
/** So is one that takes nothing for so long while there is something to take. */
const STALLED_MS = 30_000
/** A reader gets this long for what is left once the answer has ended. */
const LINGER_MS = 60_000
/** Written at once while a reader is slow: each piece that it has taken shows that it still reads. */
const PIECE_BYTES = 16 * 1024

/**
 * A response, as far as its body goes. Its `socket` is null while the connection is still an earlier
 * request's: then nobody can take anything, and whoever reads is not slow.
 */
export type EventSink = Writable & Pick<ServerResponse, 'addTrailers' | 'socket'>

/**
 * Writes events to one caller: what falls into one turn of the event loop leaves as one write, and
 * nothing is written while the socket is full.
 */
export class SseSocket {
  readonly #response: EventSink
  readonly #clock: Clock
  #pending: string[] = []
  #pendingBytes = 0
  #scheduled = false
  #full = false
  #ending = false
  #tookAt = 0
  #cancelStall: (() => void) | undefined

  constructor(response: EventSink, clock: Clock) {
    this.#response = response
    this.#clock = clock
    response.on('drain', () => {
      this.#full = false
      this.#tookAt = this.#clock.monotonic()
      this.#flush()
    })
    // Its turn has come.
    response.once('socket', () => {
      this.#tookAt = this.#clock.monotonic()
    })
    response.once('close', () => this.#cancelStall?.())
    // A write to a caller that has just gone: its `close` event tells the rest.
    response.on('error', () => {})
  }

  write(text: string): void {
    if (this.#response.destroyed) return
    this.#pending.push(text)
    this.#pendingBytes += Buffer.byteLength(text)
    if (this.#isTooSlow()) {
      this.#response.destroy()
      return
    }
    if (this.#scheduled || this.#full) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#flush()
    })
  }

  #isTooSlow(): boolean {
    const backlog = this.#pendingBytes + this.#response.writableLength
    if (backlog <= BACKLOG_BYTES) return false
    const mayTake = this.#full && !this.#waitsForItsTurn
    const isSlow = mayTake && this.#clock.monotonic() - this.#tookAt > SLOW_MS
    return isSlow || backlog > BACKLOG_BYTES_MAX
  }

  /** Ends the answer after what was written. */
  end(trailers: Record<string, string>): void {
    if (this.#response.destroyed) return
    this.#ending = true
    if (Object.keys(trailers).length > 0) this.#response.addTrailers(trailers)
    this.#linger()
    this.#flush()
  }

  #linger(): void {
    const cancel = this.#clock.after(LINGER_MS, () => {
      this.#response.off('close', cancel)
      if (this.#waitsForItsTurn) this.#linger()
      else this.#response.destroy()
    })
    this.#response.once('close', cancel)
  }

  get #waitsForItsTurn(): boolean {
    return this.#response.socket === null
  }

  #flush(): void {
    while (!this.#full && this.#pending.length > 0 && !this.#response.destroyed) {
      this.#full = !this.#response.write(this.#nextPiece())
      if (this.#full) this.#watch()
    }
    if (this.#full || !this.#ending || this.#response.destroyed) return
    this.#ending = false
    this.#response.end()
  }

  /** All that is pending, mostly; of a backlog, a part. */
  #nextPiece(): string {
    if (this.#pendingBytes <= PIECE_BYTES) {
      const all = this.#pending.join('')
      this.#pending = []
      this.#pendingBytes = 0
      return all
    }
    let count = 0
    let bytes = 0
    while (count < this.#pending.length && bytes < PIECE_BYTES) {
      bytes += Buffer.byteLength(this.#pending[count++]!)
    }
    this.#pendingBytes -= bytes
    return this.#pending.splice(0, count).join('')
  }

  #watch(): void {
    // Until now there was nothing more to take.
    this.#tookAt = this.#clock.monotonic()
    if (this.#cancelStall) return
    const look = (span: number) => {
      this.#cancelStall = this.#clock.after(span, () => {
        this.#cancelStall = undefined
        if (!this.#full) return
        if (this.#waitsForItsTurn) this.#tookAt = this.#clock.monotonic()
        const leftMs = this.#tookAt + STALLED_MS - this.#clock.monotonic()
        if (leftMs > 0) look(leftMs)
        else this.#response.destroy()
      })
    }
    look(STALLED_MS)
  }
}
