/** One answer, as it went. */
export interface Measured {
  readonly promptTokens: number
  readonly firstTokenMs: number
  readonly outputTokens: number
  /** From the first token to the last. */
  readonly generationMs: number
}

const REMEMBERED = 32
/** One that refuses measures nothing: it has to try again some time, or one slow hour lasts for ever. */
const FORGOTTEN_MS = 600_000
/** Fewer answers than this say little; until then every offer is worth a try. */
const MEASURED_MIN = 3

/**
 * How fast this machine is with one model, by its own last answers: to tell whether an offer can be
 * finished before its deadline. Measured under whatever load there was, which is what the next job
 * will meet too.
 */
export class Pace {
  private last: (Measured & { readonly atMs: number })[] = []

  /** @param atMs of a clock that only goes forward */
  add(measured: Measured, atMs: number): void {
    this.last.push({ atMs, ...measured })
    if (this.last.length > REMEMBERED) this.last.shift()
  }

  /**
   * How long an answer will take, in milliseconds; undefined while nothing is known.
   * @param outputTokensMax most callers set it far above what their answer needs, so the longest of
   *   nine answers in ten is expected, where that is less
   */
  expectMs(promptTokens: number, outputTokensMax: number, nowMs: number): number | undefined {
    this.last = this.last.filter(({ atMs }) => atMs > nowMs - FORGOTTEN_MS)
    if (this.last.length < MEASURED_MIN) return undefined
    const lengths = this.last.map(({ outputTokens }) => outputTokens).sort((a, b) => a - b)
    const usual = lengths[Math.ceil(lengths.length * 0.9) - 1]!
    const tokens = Math.min(outputTokensMax, usual)
    return this.firstTokenMs(promptTokens) + tokens * this.tokenMs()
  }

  private tokenMs(): number {
    const ms = sum(this.last.map(({ generationMs }) => generationMs))
    const tokens = sum(this.last.map(({ outputTokens }) => outputTokens))
    return tokens === 0 ? 0 : ms / tokens
  }

  /** A line through what was seen: a fixed part, and one that grows with the prompt. */
  private firstTokenMs(promptTokens: number): number {
    const count = this.last.length
    const meanX = sum(this.last.map((each) => each.promptTokens)) / count
    const meanY = sum(this.last.map((each) => each.firstTokenMs)) / count
    const spread = sum(this.last.map((each) => (each.promptTokens - meanX) ** 2))
    const together = sum(
      this.last.map((each) => (each.promptTokens - meanX) * (each.firstTokenMs - meanY)),
    )
    // A longer prompt never comes sooner: where it seems so, it is noise.
    const slope = spread === 0 ? 0 : Math.max(0, together / spread)
    return Math.max(0, meanY + slope * (promptTokens - meanX))
  }
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)
