/**
 * Cuts a text that comes in pieces at the first stop sequence. Text that may be the beginning of
 * one is held back until it is known.
 */
export class StopText {
  private held = ''

  constructor(private readonly sequences: readonly string[]) {}

  /** @returns text to send on, and whether a stop sequence was met */
  push(piece: string): { readonly text: string; readonly stopped: boolean } {
    const text = this.held + piece
    const at = this.firstStop(text)
    if (at >= 0) {
      this.held = ''
      return { text: text.slice(0, at), stopped: true }
    }
    const keep = this.partialUnits(text)
    this.held = text.slice(text.length - keep)
    return { text: text.slice(0, text.length - keep), stopped: false }
  }

  /** What was held back for nothing. */
  end(): string {
    const rest = this.held
    this.held = ''
    return rest
  }

  private firstStop(text: string): number {
    const found = this.sequences.map((stop) => text.indexOf(stop)).filter((at) => at >= 0)
    return found.length === 0 ? -1 : Math.min(...found)
  }

  /** Length of the longest end of `text` that begins a stop sequence. */
  private partialUnits(text: string): number {
    const longest = Math.max(0, ...this.sequences.map((stop) => stop.length - 1))
    for (let units = Math.min(longest, text.length); units > 0; units--) {
      const tail = text.slice(text.length - units)
      if (this.sequences.some((stop) => stop.startsWith(tail))) return units
    }
    return 0
  }
}
