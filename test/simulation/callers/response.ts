import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'

/** What leaves an edge for one caller. */
export type Part =
  | { readonly type: 'head'; readonly status: number; readonly headers: Headers }
  | { readonly type: 'body'; readonly text: string }
  | { readonly type: 'trailers'; readonly trailers: Headers }
  | { readonly type: 'end' }
type Headers = Readonly<Record<string, unknown>>

/** What the edge's code uses of a response of node:http, and what it must not do with it. */
export class Response extends EventEmitter {
  destroyed = false
  writableFinished = false
  readonly writableLength = 0
  #headSent = false
  #ended = false

  constructor(
    private readonly send: (part: Part) => void,
    private readonly misused: (how: string) => void,
  ) {
    super()
  }

  get asNode(): ServerResponse {
    return this as unknown as ServerResponse
  }

  writeHead(status: number, headers: Headers): this {
    if (this.#headSent) this.misused('a second head')
    this.#headSent = true
    this.#pass({ type: 'head', status, headers })
    return this
  }

  write(text: string): boolean {
    if (!this.#headSent) this.misused('a body without a head')
    if (this.#ended) this.misused('a body after the end')
    this.#pass({ type: 'body', text })
    return true
  }

  addTrailers(trailers: Headers): void {
    this.#pass({ type: 'trailers', trailers })
  }

  end(): this {
    if (this.#ended) this.misused('a second end')
    this.#ended = true
    this.#pass({ type: 'end' })
    if (this.destroyed) return this
    this.writableFinished = true
    // Node tells it in a later turn.
    setImmediate(() => this.#close())
    return this
  }

  destroy(): this {
    this.#close()
    return this
  }

  #pass(part: Part): void {
    if (!this.destroyed) this.send(part)
  }

  #close(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.emit('close')
  }
}
