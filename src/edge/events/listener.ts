import type { Writable } from 'node:stream'
import { errorBody, RefusalError } from '../../api/http/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { envelopeOf } from '../../messages/envelope.ts'
import { API_VERSION, type EventType } from '../../messages/webhook.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FactCursor, StoredFact } from '../../ports/fact-reader.ts'
import type { Log } from '../../telemetry/log.ts'

interface Options {
  readonly response: Writable
  readonly cursor: FactCursor
  readonly types: ReadonlySet<EventType>
  /** @throws {RefusalError} the key is not good any more, or that cannot be told */
  checkKey(): Promise<unknown>
  readonly clock: Clock
  readonly log: Log
  readonly docsUrl: string
}

/** Looked for this often where nothing says that there is something new. */
const LOOK_MS = 1_000
/** A fact is announced some moments before it can be read. */
const SOON_MS = 25
const SOON_FOR_MS = 500
/** A reader that takes nothing for so long is cut off. */
const STALLED_MS = 30_000

/** Writes a wallet's events to one reader, one at a time: what is not taken yet is not read yet. */
export class Listener {
  readonly #options: Options
  #closed: boolean
  #wroteAt: number
  #soonUntil = 0
  #wake = () => {}

  constructor(options: Options) {
    this.#options = options
    this.#wroteAt = options.clock.monotonic()
    // Who has gone already says `close` no more.
    this.#closed = options.response.destroyed
    options.response.once('close', () => this.#close())
    // A write to a reader that has just gone: its `close` event tells the rest.
    options.response.on('error', () => {})
  }

  /** There may be something new. */
  poke(): void {
    this.#soonUntil = this.#options.clock.monotonic() + SOON_FOR_MS
    this.#wake()
  }

  /** Ends the answer; the reader may go on elsewhere. */
  end(): void {
    this.#options.response.end()
    this.#close()
  }

  /** @returns once the reader is gone, or was shown the door */
  async run(): Promise<void> {
    await this.#write(this.#mark())
    while (!this.#closed) {
      if (!(await this.#mayGoOn())) return
      const stored = await this.#next()
      if (!stored) await this.#rest()
      else if (this.#options.types.has(stored.fact.type)) await this.#write(eventText(stored))
      // Nothing for this reader, in a month of others perhaps, through which a cut must not lead it again.
      else await this.#breakSilence()
    }
  }

  async #mayGoOn(): Promise<boolean> {
    try {
      await this.#options.checkKey()
      return true
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error
      const body = JSON.stringify(errorBody(error.refusal, this.#options.docsUrl))
      await this.#write(`event: error\ndata: ${body}\n\n`)
      this.end()
      return false
    }
  }

  async #next(): Promise<StoredFact | undefined> {
    try {
      return await this.#options.cursor.next()
    } catch (error) {
      this.#options.log.warn({ err: error }, 'events: not readable, trying again')
      this.#soonUntil = 0
      return undefined
    }
  }

  async #rest(): Promise<void> {
    const { clock } = this.#options
    await this.#breakSilence()
    if (this.#closed) return
    const span = clock.monotonic() < this.#soonUntil ? SOON_MS : LOOK_MS
    await new Promise<void>((resolve) => {
      const cancel = clock.after(span, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }

  async #breakSilence(): Promise<void> {
    const silentMs = this.#options.clock.monotonic() - this.#wroteAt
    if (silentMs >= LIMITS.streamSilenceMs) await this.#write(this.#mark())
  }

  /** Says that we are there, and how far the reader has come, in events of others as well. */
  #mark(): string {
    return `:\nid: ${this.#options.cursor.position}\n\n`
  }

  async #write(text: string): Promise<void> {
    const { response, clock } = this.#options
    if (this.#closed || response.destroyed) return
    this.#wroteAt = clock.monotonic()
    if (response.write(text)) return
    await new Promise<void>((resolve) => {
      const cancel = clock.after(STALLED_MS, () => response.destroy())
      const go = () => {
        cancel()
        response.off('drain', go)
        response.off('close', go)
        resolve()
      }
      response.once('drain', go)
      response.once('close', go)
    })
  }

  #close(): void {
    this.#closed = true
    this.#wake()
  }
}

const eventText = ({ sequence, fact }: StoredFact): string =>
  `id: ${sequence}\nevent: ${fact.type}\ndata: ${envelopeOf(fact, API_VERSION)}\n\n`
