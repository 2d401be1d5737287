/** What the operator sees: steps while they run, one line each when done, and notes. */
export interface Screen {
  /** Shows `title` while `work` runs and a line with the time it took once it is done. */
  step<T>(title: string, work: () => Promise<T>): Promise<T>
  note(line: string): void
  /** Ends the live line for good. */
  close(): void
}

interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

const REDRAW_MS = 250
// Without a terminal a live line cannot be redrawn, so that what still runs is said now and then.
const REMIND_MS = 5_000
const CLEAR_LINE = '\r\x1b[K'

export function makeScreen(output: Output, now: () => number): Screen {
  const live = output.isTTY === true
  const running = new Map<symbol, { title: string; since: number }>()
  const seconds = (since: number) => `${((now() - since) / 1000).toFixed(1)} s`
  const runningText = () =>
    [...running.values()].map(({ title, since }) => `${title} (${seconds(since)})`).join(', ')

  const print = (line: string) => output.write(`${live ? CLEAR_LINE : ''}${line}\n`)
  const redraw = () => output.write(`${CLEAR_LINE}… ${runningText().slice(0, 110)}`)
  const remind = () => print(`… ${runningText()}`)
  let timer: NodeJS.Timeout | undefined

  function tick(): void {
    if (running.size > 0 && !timer) {
      timer = setInterval(live ? redraw : remind, live ? REDRAW_MS : REMIND_MS)
      timer.unref()
    } else if (running.size === 0 && timer) {
      clearInterval(timer)
      timer = undefined
      if (live) output.write(CLEAR_LINE)
    }
  }

  return {
    step: async (title, work) => {
      const id = Symbol(title)
      const since = now()
      running.set(id, { title, since })
      tick()
      try {
        const result = await work()
        print(`✓ ${title} (${seconds(since)})`)
        return result
      } finally {
        running.delete(id)
        tick()
      }
    },
    note: print,
    close: () => {
      running.clear()
      tick()
    },
  }
}
