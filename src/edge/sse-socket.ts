import type { ServerResponse } from 'node:http'
import type { Clock } from '../ports/clock.ts'

/** A reader that lets this much pile up is cut off: it costs every other one memory. */
const BACKLOG_BYTES_MAX = 1024 * 1024
/** A reader gets this long for what is left once the answer has ended. */
const LINGER_MS = 60_000

/**
 * Writes events to one caller: what falls into one turn of the event loop leaves as one write, and
 * nothing is written while the socket is full.
 */
export class SseSocket {
  readonly #response: ServerResponse
  readonly #clock: Clock
  #pending = ''
  #pendingBytes = 0
  #scheduled = false
  #full = false
  #ending = false

  constructor(response: ServerResponse, clock: Clock) {
    this.#response = response
    this.#clock = clock
    response.on('drain', () => {
      this.#full = false
      this.#flush()
    })
    // A write to a caller that has just gone: its `close` event tells the rest.
    response.on('error', () => {})
  }

  write(text: string): void {
    if (this.#response.destroyed) return
    this.#pending += text
    this.#pendingBytes += Buffer.byteLength(text)
    if (this.#pendingBytes + this.#response.writableLength > BACKLOG_BYTES_MAX) {
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

  /** Ends the answer after what was written. */
  end(trailers: Record<string, string>): void {
    if (this.#response.destroyed) return
    this.#ending = true
    if (Object.keys(trailers).length > 0) this.#response.addTrailers(trailers)
    const cancel = this.#clock.after(LINGER_MS, () => this.#response.destroy())
    this.#response.once('close', cancel)
    this.#flush()
  }

  #flush(): void {
    if (this.#response.destroyed || this.#full) return
    const text = this.#pending
    this.#pending = ''
    this.#pendingBytes = 0
    if (this.#ending) {
      this.#ending = false
      this.#response.end(text)
    } else if (text !== '') {
      this.#full = !this.#response.write(text)
    }
  }
}
