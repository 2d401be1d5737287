import type { Chunk } from '../../messages/edge.ts'

/** Puts the numbered chunks of one answer in order. Says nothing twice. */
export class AnswerText {
  /** The attempt whose text this is; undefined before the first chunk. */
  attempt: number | undefined
  /** How many chunks of the attempt are in `text`. */
  chunks = 0
  text = ''
  head: Chunk['head']
  readonly #held = new Map<number, string>()

  /** Drops everything: another attempt begins from its first chunk. */
  begin(attempt: number): void {
    this.attempt = attempt
    this.chunks = 0
    this.text = ''
    this.head = undefined
    this.#held.clear()
  }

  /** The next attempt begins, unless it has: text of this one is late from now on. */
  giveUp(attempt: number): void {
    if (this.attempt === undefined || this.attempt <= attempt) this.begin(attempt + 1)
  }

  /** @returns what this chunk makes readable, undefined where nothing: a repetition, or a gap */
  take(chunk: Chunk): string | undefined {
    if (chunk.head) this.head = chunk.head
    if (chunk.seq < this.chunks) return undefined
    if (chunk.seq > this.chunks) {
      this.#held.set(chunk.seq, chunk.text)
      return undefined
    }
    let ready = ''
    for (let next: string | undefined = chunk.text; next !== undefined; ) {
      ready += next
      this.chunks++
      next = this.#held.get(this.chunks)
      this.#held.delete(this.chunks)
    }
    this.text += ready
    return ready
  }

  /**
   * Fills up from the stored answer, which the caller has checked.
   * @returns the rest, undefined where what was read so far is not how the answer begins
   */
  complete(answer: string, chunks: number): string | undefined {
    if (!answer.startsWith(this.text)) return undefined
    const rest = answer.slice(this.text.length)
    this.text = answer
    this.chunks = chunks
    return rest
  }
}
