import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'

export interface ProcessLog {
  /**
   * Where the process writes. The file itself and not a pipe through the launcher: a process whose
   * pipe is broken can neither log nor, with pino, end.
   */
  readonly fd: number
  /** Call once the process has ended. @returns the last line that says something about its end */
  close(): string
}

const LOOK_MS = 200
const CHUNK_BYTES = 64 * 1024
const PINO_ERROR = 50
// The same complaint again within this span is in the file only.
const QUIET_MS = 10_000
const SHOWN_LENGTH = 200
// Log records, frames of a stack, fields of a printed error, Node's own farewell.
const TELLS_NOTHING = /^\{|^\s+at |^\s+[a-z]\w*: |^[\s{}\]]*$|^Node\.js v/

/** Moves the log of the last start aside. */
export function rotateLog(folder: string, name: string): void {
  const file = join(folder, `${name}.log`)
  if (existsSync(file)) renameSync(file, `${file}.1`)
}

/** Keeps all a process prints in `<name>.log`, and says errors on the screen in one line. */
export function openProcessLog(
  folder: string,
  name: string,
  say: (line: string) => void,
): ProcessLog {
  const path = join(folder, `${name}.log`)
  const fd = openSync(path, 'a+', 0o600)
  const readLines = lineReader(fd)
  const saidAt = new Map<string, number>()
  let lastLine = ''

  function look(): void {
    for (const line of readLines()) {
      const error = errorOf(line)
      if (error || !TELLS_NOTHING.test(line)) lastLine = error ?? line.trim()
      if (error && isNews(error)) say(`! ${name}: ${shorten(error)} (logs/${basename(path)})`)
    }
  }

  function isNews(error: string): boolean {
    const now = performance.now()
    if (now - (saidAt.get(error) ?? -QUIET_MS) < QUIET_MS) return false
    if (saidAt.size > 100) saidAt.clear()
    saidAt.set(error, now)
    return true
  }

  const timer = setInterval(look, LOOK_MS)
  timer.unref()
  return {
    fd,
    close: () => {
      clearInterval(timer)
      look()
      closeSync(fd)
      return shorten(lastLine)
    },
  }
}

/** Each call gives the whole lines that were added since the last one. */
function lineReader(fd: number): () => readonly string[] {
  const decoder = new StringDecoder('utf8')
  const chunk = Buffer.alloc(CHUNK_BYTES)
  let position = fstatSync(fd).size
  let unfinished = ''
  return () => {
    const lines: string[] = []
    // Somebody has emptied it, for want of room.
    if (fstatSync(fd).size < position) position = 0
    for (;;) {
      const count = readSync(fd, chunk, 0, CHUNK_BYTES, position)
      if (count === 0) return lines
      position += count
      const parts = (unfinished + decoder.write(chunk.subarray(0, count))).split('\n')
      unfinished = parts.pop() ?? ''
      lines.push(...parts)
    }
  }
}

/** The message of a line that reports an error: pino's, or nats-server's. */
function errorOf(line: string): string | undefined {
  if (!line.startsWith('{')) return /\[(?:ERR|FTL)\] (.*)/.exec(line)?.[1]
  const record = parseRecord(line)
  if (!record || !(Number(record.level) >= PINO_ERROR)) return undefined
  const cause = record.err?.message
  return [record.msg, cause].filter((part) => typeof part === 'string').join(': ')
}

function parseRecord(
  line: string,
): { level?: unknown; msg?: unknown; err?: { message?: unknown } } | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined // not a record, just text that begins like one
  }
}

const shorten = (text: string): string =>
  text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text
