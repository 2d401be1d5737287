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
  pino({ level, base: { role, pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, to)
