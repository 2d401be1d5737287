import type { DurationMs } from '../../src/domain/time.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Log } from '../../src/telemetry/log.ts'

export interface Versioned {
  readonly id: string
  readonly sequence: number
}

interface Options<Item> {
  /** For logs. */
  readonly name: string
  /** Safe to repeat; newer items of an id win over older ones, whatever the order. */
  readonly write: (items: readonly Item[]) => Promise<void>
  /** From the beginning of one write to that of the next, at least. */
  readonly spacingMs: DurationMs
  /** Most items in one write. */
  readonly most: number
  readonly clock: Clock
  readonly log: Log
}

const RETRY_MS = 500
/** Who waits for a write goes on without it after this long. */
const PATIENCE_MS = 200

/**
 * Writes items elsewhere, many at a time and of each id only the newest: at once when idle, else
 * together with what comes meanwhile. What could not be written is written later, so what is kept
 * here is bounded by the number of ids.
 */
export class NewestWriter<Item extends Versioned> {
  readonly #options: Options<Item>
  readonly #waiting = new Map<string, Item>()
  #writing: ReadonlyMap<string, Item> = new Map()
  #awaited: { readonly id: string; readonly sequence: number; readonly done: () => void }[] = []
  #cancelTimer: (() => void) | undefined
  #running = false
  #failing = false
  #lastBegan = Number.NEGATIVE_INFINITY

  constructor(options: Options<Item>) {
    this.#options = options
  }

  add(item: Item): void {
    if (!this.#keep(item)) return
    if (!this.#running && !this.#cancelTimer) this.#later(this.#spacingLeftMs())
  }

  /** The lowest sequence that is not written yet; infinite when all are. */
  get oldest(): number {
    let oldest = Number.POSITIVE_INFINITY
    for (const { sequence } of this.#writing.values()) oldest = Math.min(oldest, sequence)
    for (const { sequence } of this.#waiting.values()) oldest = Math.min(oldest, sequence)
    return oldest
  }

  /**
   * Has what was added of `id` written without waiting for more. The promise resolves once it is,
   * and also where it cannot be soon; undefined: there is nothing to wait for.
   */
  written(id: string): Promise<void> | undefined {
    if (this.#failing) return undefined
    const item = this.#waiting.get(id) ?? this.#writing.get(id)
    if (!item) return undefined
    const written = new Promise<void>((done) => {
      const cancel = this.#options.clock.after(PATIENCE_MS, done)
      const finish = () => {
        cancel()
        done()
      }
      this.#awaited.push({ id, sequence: item.sequence, done: finish })
    })
    if (!this.#running) this.#later(0)
    return written
  }

  /** As `written`, for all that was added. */
  async drain(): Promise<void> {
    const ids = new Set([...this.#waiting.keys(), ...this.#writing.keys()])
    await Promise.all([...ids].map((id) => this.written(id)))
  }

  #keep(item: Item): boolean {
    const known = this.#waiting.get(item.id)
    if (known && known.sequence >= item.sequence) return false
    this.#waiting.set(item.id, item)
    return true
  }

  #spacingLeftMs(): DurationMs {
    const { clock, spacingMs } = this.#options
    return Math.max(0, this.#lastBegan + spacingMs - clock.monotonic())
  }

  #later(span: DurationMs): void {
    this.#cancelTimer?.()
    this.#cancelTimer = this.#options.clock.after(span, () => {
      this.#cancelTimer = undefined
      void this.#run()
    })
  }

  async #run(): Promise<void> {
    const { clock, write, most } = this.#options
    this.#running = true
    this.#lastBegan = clock.monotonic()
    this.#writing = new Map([...this.#waiting].slice(0, most))
    for (const id of this.#writing.keys()) this.#waiting.delete(id)
    try {
      await write([...this.#writing.values()])
      this.#succeeded()
    } catch (error) {
      this.#failed(error)
    }
    this.#running = false
    if (this.#waiting.size > 0) this.#later(this.#nextRunMs())
  }

  #nextRunMs(): DurationMs {
    if (this.#failing) return RETRY_MS
    // A full portion is no reason to wait for more, nor is somebody who waits.
    const goesOn = this.#waiting.size >= this.#options.most || this.#awaited.length > 0
    return goesOn ? 0 : this.#spacingLeftMs()
  }

  #succeeded(): void {
    if (this.#failing) this.#options.log.info(`${this.#options.name}: written again`)
    this.#failing = false
    const written = this.#writing
    this.#writing = new Map()
    this.#awaited = this.#awaited.filter(({ id, sequence, done }) => {
      const isWritten = (written.get(id)?.sequence ?? 0) >= sequence
      if (isWritten) done()
      return !isWritten
    })
  }

  #failed(error: unknown): void {
    const { log, name } = this.#options
    if (!this.#failing) log.warn({ err: error }, `${name}: not written, trying again`)
    this.#failing = true
    const unwritten = this.#writing
    this.#writing = new Map()
    for (const item of unwritten.values()) this.#keep(item)
    for (const { done } of this.#awaited.splice(0)) done()
  }
}
