/** Whether a subject is one of those that a pattern with `*` and `>` names. */
export function matcherOf(pattern: string): (subject: string) => boolean {
  if (!/[*>]/.test(pattern)) return (subject) => subject === pattern
  const wanted = pattern.split('.')
  return (subject) => {
    const tokens = subject.split('.')
    for (const [i, token] of wanted.entries()) {
      if (token === '>') return tokens.length > i
      if (tokens[i] === undefined || (token !== '*' && token !== tokens[i])) return false
    }
    return tokens.length === wanted.length
  }
}

/** Patterns end in at most so many `*`, as far as they are found quickly. */
const OPEN_TOKENS_MOST = 2

/** What is kept under patterns, found by subject. Most patterns are plain, or end in a `*` or two. */
export class SubjectIndex<T> {
  /** By pattern, those without a wildcard, and those with wildcards at the end only. */
  readonly #byPattern = new Map<string, Set<T>>()
  readonly #others = new Map<T, (subject: string) => boolean>()

  add(pattern: string, value: T): void {
    if (!isQuick(pattern)) {
      this.#others.set(value, matcherOf(pattern))
      return
    }
    const known = this.#byPattern.get(pattern)
    if (known) known.add(value)
    else this.#byPattern.set(pattern, new Set([value]))
  }

  remove(pattern: string, value: T): void {
    this.#byPattern.get(pattern)?.delete(value)
    this.#others.delete(value)
  }

  find(subject: string): T[] {
    const found: T[] = []
    let [stem, stars] = [subject, '']
    for (let open = 0; open <= OPEN_TOKENS_MOST; open++) {
      const values = this.#byPattern.get(`${stem}${stars}`)
      if (values) found.push(...values)
      const dot = stem.lastIndexOf('.')
      if (dot < 0) break
      stem = stem.slice(0, dot)
      stars += '.*'
    }
    for (const [value, matches] of this.#others) if (matches(subject)) found.push(value)
    return found
  }
}

function isQuick(pattern: string): boolean {
  const stem = pattern.replace(/(\.\*)+$/, '')
  const open = (pattern.length - stem.length) / '.*'.length
  return open <= OPEN_TOKENS_MOST && !/[*>]/.test(stem)
}
