import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Logger

/**
 * Structured logs. Ids only: never a prompt, an answer, a key or a secret.
 * @param to standard output by default
 */
export const makeLog = (
  role: string,
  level: string,
  to: DestinationStream = standardOutput(),
): Log =>
  pino(
    {
      level,
      base: { role, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: toPlainError },
    },
    to,
  )

/** What is kept of lines that cannot be written, until there is room. */
const UNWRITTEN_BYTES_MAX = 1_048_576
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT'])

/** Where that is a file on a disk that is full, lines wait, and the newest are lost: no reason to serve nobody. */
function standardOutput(): DestinationStream {
  const to = pino.destination({ fd: 1, sync: true, maxLength: UNWRITTEN_BYTES_MAX })
  return to.on('error', (error: NodeJS.ErrnoException) => {
    if (!NO_ROOM.has(error.code ?? '')) throw error
  })
}

/**
 * An error with its causes, and nothing that a library has hung onto it: the client of Redis, for one, hangs
 * there the command that was refused, and a prompt or an answer with it.
 */
function toPlainError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) }
  const { type, message, stack, code } = pino.stdSerializers.err(error)
  return { type, message, stack, code: code as unknown }
}
