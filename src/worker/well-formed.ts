/**
 * Keeps characters whole that an engine tears apart between two pieces, and replaces what is no
 * character: text that is not valid Unicode would change on its way, and its hash with it.
 */
export class WellFormed {
  private held = ''

  push(piece: string): string {
    if (piece === '') return ''
    const text = this.held + piece
    const last = text.charCodeAt(text.length - 1)
    const torn = last >= 0xd800 && last <= 0xdbff
    this.held = torn ? text.slice(-1) : ''
    return (torn ? text.slice(0, -1) : text).toWellFormed()
  }

  end(): string {
    const rest = this.held.toWellFormed()
    this.held = ''
    return rest
  }
}
