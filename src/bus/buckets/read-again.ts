import { Events, type NatsConnection } from 'nats'

/** So long the library waits for an answer; what was asked longer ago has had its answer, or its error. */
const ANSWER_MS = 5_000

/**
 * For what only reads: a question that went down with its connection is asked once more on the next one. The library
 * would wait for its answer to the end, and forgets what is said while there is no connection.
 */
export function readAgain(connection: NatsConnection): <T>(read: () => Promise<T>) => Promise<T> {
  const open = new Set<() => void>()
  void (async () => {
    for await (const { type } of connection.status()) {
      if (type === Events.Reconnect) for (const ask of [...open]) ask()
    }
  })()
  return (read) =>
    new Promise((resolve, reject) => {
      const askedAt = performance.now()
      let newest = 0
      const ask = () => {
        if (performance.now() - askedAt >= ANSWER_MS) return
        const number = ++newest
        read().then(
          (answer) => {
            open.delete(ask)
            resolve(answer)
          },
          (error: unknown) => {
            if (number !== newest) return
            open.delete(ask)
            reject(error)
          },
        )
      }
      open.add(ask)
      ask()
    })
}
