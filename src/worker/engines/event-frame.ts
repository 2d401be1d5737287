/**
 * The text around the content of an event. Most upstreams write the same around each piece of an answer, so
 * the next one is read without parsing it: that was a fifth of what an agent does.
 */
export class EventFrame {
  private constructor(
    private readonly before: string,
    private readonly after: string,
  ) {}

  /**
   * @param data an event, as JSON
   * @param content the text that it says
   * @param contentOf what another event says in that place; undefined where it has more to tell
   * @returns undefined where more than one string of it could be the content
   */
  static of(
    data: string,
    content: string,
    contentOf: (data: string) => string | undefined,
  ): EventFrame | undefined {
    const literal = JSON.stringify(content)
    const at = data.lastIndexOf(literal)
    if (at < 0 || content === PROBE) return undefined
    const frame = new EventFrame(data.slice(0, at + 1), data.slice(at + literal.length - 1))
    // The place is the right one where another text in it is read as the content.
    return contentOf(frame.before + PROBE + frame.after) === PROBE ? frame : undefined
  }

  /** @returns the content; undefined: this event has to be read */
  read(data: string): string | undefined {
    const { before, after } = this
    const end = data.length - after.length
    // Compared as slices: startsWith and endsWith go unit by unit.
    if (end < before.length || data.slice(end) !== after) return undefined
    if (data.slice(0, before.length) !== before) return undefined
    const content = data.slice(before.length, end)
    return NOT_LITERAL.test(content) ? undefined : content
  }
}

const PROBE = 'another text'
/** What ends a JSON string, is escaped in it, or may not be in it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant
const NOT_LITERAL = /["\\\u0000-\u001f]/
