/** One event of a stream, or a place in it (`data` undefined). */
export interface ServerSentEvent {
  /** The place to go on from; undefined: as before. */
  readonly id: string | undefined
  readonly event: string
  readonly data: string | undefined
}

/** Takes a stream apart, by the rules of the format. */
export async function* serverSentEvents(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder()
  let text = ''
  let lines: string[] = []
  for await (const chunk of bytes) {
    text += decoder.decode(chunk, { stream: true })
    const complete = text.split(/\r\n|\n|\r(?!$)/)
    text = complete.pop()!
    for (const line of complete) {
      if (line !== '') lines.push(line)
      else {
        if (lines.length > 0) yield eventOf(lines)
        lines = []
      }
    }
  }
}

function eventOf(lines: readonly string[]): ServerSentEvent {
  const data: string[] = []
  let id: string | undefined
  let event = 'message'
  for (const line of lines) {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!
    if (name === 'data') data.push(value)
    if (name === 'id') id = value
    if (name === 'event') event = value
  }
  return { id, event, data: data.length > 0 ? data.join('\n') : undefined }
}
