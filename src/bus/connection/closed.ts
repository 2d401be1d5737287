import { ErrorCode, NatsError } from 'nats'

/** Whether something failed because we have closed the connection, or are about to. */
export const isClosed = (error: unknown): boolean =>
  error instanceof NatsError &&
  (error.code === ErrorCode.ConnectionClosed || error.code === ErrorCode.ConnectionDraining)

/** What there is to say when we have closed the connection is not said: whoever waits for it asks again. */
export function unlessClosed(say: () => void): void {
  try {
    say()
  } catch (error) {
    if (!isClosed(error)) throw error
  }
}
