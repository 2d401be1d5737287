import { ErrorCode, Events, type NatsConnection } from 'nats'
import { assert } from '../../domain/result.ts'
import type { Log } from '../../telemetry/log.ts'

/** The part of the client library that knows its options; nothing of its public surface gives a hold on that. */
interface Choosing {
  readonly options?: { ignoreAuthErrorAbort?: boolean }
}

/**
 * From now on the connection outlives a server that does not know its user: passwords are replaced one server
 * after the other, or mistyped and put right. The library would close it for ever at the second refusal, and the
 * process would run on without. Not so at the start: who was never let in ends and says why.
 */
export function outliveRefusals(connection: NatsConnection): void {
  const { options } = connection as unknown as Choosing
  assert(
    options?.ignoreAuthErrorAbort === false,
    'nats: this version of the client library gives up in another way',
  )
  options.ignoreAuthErrorAbort = true
}

/** Says once an outage that it is the password which is in the way: it is tried again ten times a second. */
export async function logRefusals(connection: NatsConnection, log: Log): Promise<void> {
  let isTold = false
  for await (const { type, data } of connection.status()) {
    if (type === Events.Reconnect) isTold = false
    if (isTold || type !== Events.Error || data !== ErrorCode.AuthorizationViolation) continue
    isTold = true
    log.error(
      'nats: the server does not let this user in, and is tried again: NATS_URL, or its passwords',
    )
  }
}
