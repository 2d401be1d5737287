import type { UnixMs } from '../../src/domain/time.ts'
import type { History } from './world.ts'

/** What happened in a life: for people to read, and to compare two lives by. */
export class LifeHistory implements History {
  readonly #told: { readonly at: UnixMs; readonly who: string; readonly what: string }[] = []
  readonly #now: () => UnixMs
  readonly #startedAt: UnixMs

  constructor(now: () => UnixMs) {
    this.#now = now
    this.#startedAt = now()
  }

  add(who: string, what: string): void {
    this.#told.push({ at: this.#now(), who, what })
  }

  /** Written out when somebody wants to read it: of most lives nobody does. */
  get lines(): readonly string[] {
    return this.#told.map(({ at, who, what }) => {
      const seconds = ((at - this.#startedAt) / 1_000).toFixed(3)
      return `${seconds.padStart(9)}  ${who.padEnd(10)} ${what}`
    })
  }

  get text(): string {
    return this.lines.join('\n')
  }
}
