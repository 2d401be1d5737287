import type { DurationMs } from '../domain/time.ts'
import type { Traceparent } from '../domain/traceparent.ts'

/** Messages that need no store: lost ones are repeated by who cares. */
export interface Bus {
  /** Best effort: dropped while disconnected. */
  publish(subject: string, message: unknown): void
  /**
   * @param trace what the work belongs to that is asked for; travels in a header
   * @throws {NoResponders} nobody listens @throws {RequestTimeout} nobody answered in time
   */
  request<Reply>(
    subject: string,
    message: unknown,
    timeoutMs: DurationMs,
    trace?: Traceparent,
  ): Promise<Reply>
  /**
   * Handlers run in order of arrival and must not block; `respond` may be called later. What one throws,
   * or rejects the promise with that it returns, is logged, and nobody is answered.
   * @param options `own`: nobody else answers there, so what this process says there stays in it
   */
  subscribe(
    subject: string,
    handler: BusHandler,
    options?: { readonly queue?: string; readonly own?: boolean },
  ): Subscription
  /** False while the connection is down, or stands and brings nothing. */
  readonly connected: boolean
  /** Calls at each change of `connected`. */
  onConnection(call: (connected: boolean) => void): void
  /** Everything published so far has reached the server. */
  flush(): Promise<void>
  close(): Promise<void>
}

export type BusHandler = (
  message: unknown,
  subject: string,
  respond: (reply: unknown) => void,
  trace?: Traceparent,
) => unknown

export interface Subscription {
  unsubscribe(): void
}

export class NoResponders extends Error {
  constructor(readonly subject: string) {
    super(`nobody listens on ${subject}`)
  }
}

export class RequestTimeout extends Error {
  constructor(
    readonly subject: string,
    timeoutMs: DurationMs,
  ) {
    super(`no answer on ${subject} within ${timeoutMs} ms`)
  }
}

/** Nobody answered, now. Of a job: its partition is between two owners, perhaps. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof NoResponders || error instanceof RequestTimeout
