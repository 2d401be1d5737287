import { type Log, makeLog } from '../../telemetry/log.ts'
import { statusLine, statusLines } from './line.ts'
import type { AgentReport } from './report.ts'

/** How a running agent shows itself. */
export interface Screen {
  readonly log: Log
  /** Shows the state from now on, until it is closed. */
  follow(report: () => AgentReport): void
  close(): void
}

const LIVE_MS = 500
const JSON_MS = 5_000
const LOGGED_MS = 60_000

/** A live line on a terminal, else a log line now and then; JSON lines where that is asked for. */
export function openScreen(level: string, json: boolean): Screen {
  if (json) return jsonScreen(level)
  return process.stdout.isTTY ? liveScreen(level, process.stdout) : loggedScreen(level)
}

function loggedScreen(level: string): Screen {
  const log = makeLog('worker', level)
  return ticking(log, LOGGED_MS, (report) => log.info(statusLine(report, Date.now())))
}

/** Reports on standard output, logs on standard error. */
function jsonScreen(level: string): Screen {
  const log = makeLog('worker', level, process.stderr)
  return ticking(log, JSON_MS, (report) => process.stdout.write(`${JSON.stringify(report)}\n`))
}

function liveScreen(level: string, terminal: NodeJS.WriteStream): Screen {
  const block = new LiveBlock((text) => terminal.write(text))
  const log = makeLog('worker', level, { write: (line) => block.print(readable(line)) })
  // A terminal that nobody told its size says 0, as of a container or a script.
  const draw = (report: AgentReport) =>
    block.show(statusLines(report, Date.now()), terminal.columns || 80)
  return ticking(log, LIVE_MS, draw)
}

function ticking(log: Log, everyMs: number, show: (report: AgentReport) => void): Screen {
  let timer: NodeJS.Timeout | undefined
  return {
    log,
    follow: (report) => {
      timer = setInterval(() => show(report()), everyMs)
    },
    close: () => clearInterval(timer),
  }
}

/** A few lines at the end of a terminal that are rewritten in place, with others printed above. */
export class LiveBlock {
  private lines: readonly string[] = []

  constructor(private readonly write: (text: string) => void) {}

  /** @param columns a line that wrapped could not be taken back */
  show(lines: readonly string[], columns: number): void {
    const fitting = fit(lines, Math.max(1, columns - 1))
    if (fitting.join('\n') === this.lines.join('\n')) return
    const back = this.back()
    this.lines = fitting
    this.write(back + this.text())
  }

  print(line: string): void {
    this.write(`${this.back()}${line}\n${this.text()}`)
  }

  // One write: a terminal that shows half of it would flicker.
  private back = (): string => (this.lines.length > 0 ? `\x1b[${this.lines.length}F\x1b[J` : '')
  private text = (): string => this.lines.map((line) => `${line}\n`).join('')
}

/** More could be higher than the terminal, and could not be taken back. */
const LINES_MAX = 8

/** Wrapped, since the advice is at the end of a line. */
function fit(lines: readonly string[], width: number): string[] {
  const wrapped = lines.flatMap((line) => wrap(line, width))
  if (wrapped.length <= LINES_MAX) return wrapped
  return [...wrapped.slice(0, LINES_MAX - 1), '…']
}

/** At spaces, where there are any. */
function wrap(line: string, width: number): string[] {
  const wrapped: string[] = []
  let rest = line
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width)
    const end = space > 0 ? space : width
    wrapped.push(rest.slice(0, end))
    rest = rest.slice(end).trimStart()
  }
  return [...wrapped, rest]
}

const LEVELS: Readonly<Record<number, string>> = { 40: 'warning: ', 50: 'error: ', 60: 'fatal: ' }
const OWN_FIELDS = new Set(['level', 'time', 'role', 'pid', 'msg', 'err', 'worker'])

/** A structured log line for a person. */
function readable(json: string): string {
  const entry = JSON.parse(json) as Record<string, unknown>
  const { time, level, msg, err } = entry
  const about = Object.entries(entry).flatMap(([key, value]) =>
    OWN_FIELDS.has(key)
      ? []
      : [`${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`],
  )
  const cause = (err as { message?: string } | undefined)?.message
  const clock = String(time).slice(11, 19)
  const words = [msg, ...(cause ? [`(${cause})`] : []), ...about]
  return `${clock} ${LEVELS[Number(level)] ?? ''}${words.join(' ')}`
}
