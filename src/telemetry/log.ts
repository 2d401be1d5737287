import { type Logger, pino } from 'pino'

export type Log = Logger

/** Structured logs on standard output. Ids only: never a prompt, an answer, a key or a secret. */
export const makeLog = (role: string, level: string): Log =>
  pino({ level, base: { role, pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime })
