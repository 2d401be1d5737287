import { StringDecoder } from 'node:string_decoder'

/** A line or event longer than this is no stream of tokens, in UTF-16 units. */
const UNITS_MAX = 16 * 1024 * 1024

const BYTE_ORDER_MARK = '\ufeff'
/** Ends a line, as a line feed alone does. */
const CARRIAGE_RETURNS = /\r\n?/g

/**
 * Reads server-sent events out of bytes that come cut anywhere: inside a character, between CR and
 * LF, in the middle of a line. Gives the data of each event; other fields and comments are dropped.
 */
export class SseReader {
  // Not TextDecoder, which takes six times as long for bytes that come in pieces.
  private readonly decoder = new StringDecoder('utf8')
  private hasBegun = false
  private rest = ''
  private data: string[] = []
  private dataUnits = 0
  private afterCarriageReturn = false

  /** @param last data that nothing follows: its event is given though neither blank line nor end comes */
  constructor(private readonly last?: string) {}

  /** @returns the data of each event that ended within `bytes` */
  push(bytes: Uint8Array): string[] {
    return this.read(this.decoder.write(bytes))
  }

  /** @returns data of an event that the end of the stream completes: some servers omit its blank line */
  end(): string[] {
    return this.read(`${this.decoder.end()}\n\n`)
  }

  private read(decoded: string): string[] {
    const text = this.withoutMark(decoded)
    const events: string[] = []
    const fresh = this.afterCarriageReturn && text.startsWith('\n') ? text.slice(1) : text
    if (text !== '') this.afterCarriageReturn = text.endsWith('\r')
    const lines = (this.rest + fresh.replace(CARRIAGE_RETURNS, '\n')).split('\n')
    this.rest = lines.pop() ?? ''
    for (const line of lines) this.readLine(line, events)
    if (this.rest.length + this.dataUnits > UNITS_MAX) {
      throw new Error('an event of the stream has no end')
    }
    if (this.last !== undefined) this.takeLast(this.last, events)
    return events
  }

  /** Drops a byte order mark, as the format asks. */
  private withoutMark(text: string): string {
    if (this.hasBegun || text === '') return text
    this.hasBegun = true
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  }

  private takeLast(last: string, events: string[]): void {
    if (dataOf(this.rest) === last) {
      this.readLine(this.rest, events)
      this.rest = ''
    }
    if (this.data.length === 1 && this.data[0] === last) this.readLine('', events)
  }

  private readLine(line: string, events: string[]): void {
    if (line === '') {
      if (this.data.length > 0) events.push(this.data.join('\n'))
      this.data = []
      this.dataUnits = 0
      return
    }
    // `error` is a field of llama.cpp's own, until September 2025: the value is what others tell as `{"error": value}`.
    const data = line.startsWith('error:') ? `{"error":${line.slice(6)}}` : dataOf(line)
    if (data === undefined) return
    this.data.push(data)
    this.dataUnits += data.length
  }
}

/** @returns undefined: another field, or a comment */
function dataOf(line: string): string | undefined {
  if (line === 'data') return ''
  return line.startsWith('data:') ? line.slice(line[5] === ' ' ? 6 : 5) : undefined
}
