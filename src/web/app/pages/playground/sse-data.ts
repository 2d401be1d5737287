/** The `data:` of each server-sent event, as it comes. */
export async function* sseData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const events = (rest + decoder.decode(value, { stream: true })).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      if (event.startsWith('data: ')) yield event.slice('data: '.length)
    }
  }
}
