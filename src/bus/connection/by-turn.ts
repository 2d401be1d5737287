import type { NatsConnection } from 'nats'
import { assert } from '../../domain/result.ts'

/** The part of the client library that writes; nothing of its public surface gives a hold on that. */
interface Writing {
  readonly protocol?: { flushPending?: () => void }
}

/**
 * From now on what is said in one turn of the event loop is written to the socket at once. The library
 * writes once for each chain of promises that says something, which on a busy host is a system call a
 * message: a fifth of all that the host does.
 */
export function writeByTurn(connection: NatsConnection): void {
  const { protocol } = connection as unknown as Writing
  assert(protocol?.flushPending, 'nats: this version of the client library writes in another way')
  const flush = protocol.flushPending.bind(protocol)
  let scheduled = false
  protocol.flushPending = () => {
    if (scheduled) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      flush()
    })
  }
}
