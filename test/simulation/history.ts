import type { UnixMs } from '../../src/domain/time.ts'
import type { History } from './world.ts'

/** What happened in a life: for people to read, and to compare two lives by. */
export class LifeHistory implements History {
  readonly lines: string[] = []
  readonly #now: () => UnixMs
  readonly #startedAt: UnixMs

  constructor(now: () => UnixMs) {
    this.#now = now
    this.#startedAt = now()
  }

  add(who: string, what: string): void {
    const seconds = ((this.#now() - this.#startedAt) / 1_000).toFixed(3)
    this.lines.push(`${seconds.padStart(9)}  ${who.padEnd(10)} ${what}`)
  }

  get text(): string {
    return this.lines.join('\n')
  }
}
