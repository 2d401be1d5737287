/** Reads Server-Sent Events as a client does, by the rules of the format. */
export interface EventReader {
  readonly response: Response
  readonly events: readonly ReadEvent[]
  /** The place to go on from. */
  lastId(): string
  ended(): boolean
  /** Takes nothing more until `resume`. */
  pause(): void
  resume(): void
  close(): void
}

export interface ReadEvent {
  readonly id: string
  readonly event: string
  readonly data: string
}

/** @throws the answer is no stream of events */
export async function readEvents(
  url: string,
  key: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventReader> {
  const cut = new AbortController()
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${key}`, ...headers },
    signal: cut.signal,
  })
  if (response.status !== 200) {
    throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  }
  const events: ReadEvent[] = []
  let id = ''
  let ended = false
  let going = Promise.resolve()
  let go = () => {}

  const take = (block: string) => {
    const fields = new Map<string, string>()
    for (const line of block.split('\n')) {
      const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? []
      if (name !== undefined) fields.set(name, value!)
    }
    id = fields.get('id') ?? id
    const data = fields.get('data')
    if (data !== undefined) events.push({ id, event: fields.get('event') ?? 'message', data })
  }
  const read = async () => {
    const decoder = new TextDecoder()
    let text = ''
    for await (const bytes of response.body!) {
      await going
      text += decoder.decode(bytes, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) take(block)
    }
  }
  read()
    .catch(() => {}) // cut, by us or by the edge
    .finally(() => {
      ended = true
    })
  return {
    response,
    events,
    lastId: () => id,
    ended: () => ended,
    pause: () => {
      going = new Promise((resolve) => {
        go = resolve
      })
    },
    resume: () => go(),
    close: () => {
      go()
      cut.abort()
    },
  }
}
