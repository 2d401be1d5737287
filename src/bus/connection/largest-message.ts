import type { NatsConnection } from 'nats'
import { LIMITS } from '../../domain/limits.ts'
import type { Log } from '../../telemetry/log.ts'

/** A pool is told a prompt in one message: all of a request's body, and what its encoding adds. */
const LARGEST_BYTES = LIMITS.bodyBytesMax + 64 * 1024

/** Tells where the servers take no message as large as the largest that is said here. */
export function warnOfSmallMessages({ info }: NatsConnection, log: Log): void {
  if (!info || info.max_payload >= LARGEST_BYTES) return
  log.warn(
    { maxPayload: info.max_payload, largest: LARGEST_BYTES },
    'NATS: its servers take no message as large as the longest prompt, and requests with longer ones fail; ' +
      'set `max_payload: 8MB`, as deploy/nats.conf does',
  )
}
