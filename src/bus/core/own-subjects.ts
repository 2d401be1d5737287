import type { BusHandler } from '../../ports/bus.ts'

interface Own {
  readonly tokens: number
  readonly handler: BusHandler
}

/**
 * Subjects that nobody but this process answers, of the form `literal.tokens` or `literal.tokens.*.*`. What it
 * says there itself need not go to the server and back, nor be encoded.
 */
export class OwnSubjects {
  /** By the whole subject, or by what stands before the first wildcard. */
  readonly #byPrefix = new Map<string, Own>()

  /** @returns ends it */
  add(pattern: string, handler: BusHandler): () => void {
    const wildcard = pattern.indexOf('*')
    const prefix = wildcard < 0 ? pattern : pattern.slice(0, wildcard)
    const own = { tokens: tokensOf(pattern), handler }
    this.#byPrefix.set(prefix, own)
    return () => {
      if (this.#byPrefix.get(prefix) === own) this.#byPrefix.delete(prefix)
    }
  }

  handlerOf(subject: string): BusHandler | undefined {
    if (this.#byPrefix.size === 0) return undefined
    const exact = this.#byPrefix.get(subject)
    if (exact) return exact.handler
    for (let dot = subject.indexOf('.'); dot >= 0; dot = subject.indexOf('.', dot + 1)) {
      const own = this.#byPrefix.get(subject.slice(0, dot + 1))
      if (own && own.tokens === tokensOf(subject)) return own.handler
    }
    return undefined
  }
}

function tokensOf(subject: string): number {
  let count = 1
  for (let dot = subject.indexOf('.'); dot >= 0; dot = subject.indexOf('.', dot + 1)) count++
  return count
}
