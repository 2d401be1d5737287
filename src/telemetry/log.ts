import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Logger

/**
 * Structured logs. Ids only: never a prompt, an answer, a key or a secret.
 * @param to standard output by default
 */
export const makeLog = (
  role: string,
  level: string,
  to: DestinationStream = pino.destination(1),
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

/**
 * An error with its causes, and nothing that a library has hung onto it: the client of Redis, for one, hangs
 * there the command that was refused, and a prompt or an answer with it.
 */
function toPlainError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) }
  const { type, message, stack, code } = pino.stdSerializers.err(error)
  return { type, message, stack, code: code as unknown }
}
