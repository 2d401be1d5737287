import { constants, type ServerHttp2Stream } from 'node:http2'
import { type ServerDuplexStream, status } from '@grpc/grpc-js'
import { ConnectRequest, type ConnectResponse } from '../../../proto/gen/svc/worker/v1/worker.ts'
import type { DurationMs } from '../../domain/time.ts'
import type { Clock } from '../../ports/clock.ts'

/** `flaw`: why it could not be read. */
export type Received = ConnectRequest & { readonly flaw?: string }
export type WorkerCall = ServerDuplexStream<Received, ConnectResponse>
type OneOf<Message> = Exclude<NonNullable<Message>, { $case: 'batch' }>
export type FromWorker = OneOf<ConnectRequest['message']>
export type ToWorker = OneOf<ConnectResponse['message']>

/** How a session ends: a gRPC status and a word for the people on the other side. */
export interface Ending {
  readonly code: status
  readonly details: string
}

/** Never throws: grpc-js would end the stream, and tell the worker nothing of why. */
export function readRequest(bytes: Uint8Array): Received {
  try {
    return ConnectRequest.decode(bytes)
  } catch (error) {
    return { message: undefined, flaw: (error as Error).message }
  }
}

export const unreadable = (flaw: string): Ending => ({
  code: status.INVALID_ARGUMENT,
  details:
    `a message cannot be read (${flaw}): it must be a ConnectRequest, and its numbers below 2^53, ` +
    'times in the units that the protocol names',
})

/** What one request says, in its order; nothing, where it is of a kind that came later. */
export function saidIn({ message }: ConnectRequest): readonly FromWorker[] {
  if (!message) return []
  if (message.$case !== 'batch') return [message]
  return message.value.messages.flatMap(({ message: one }) =>
    one && one.$case !== 'batch' ? [one] : [],
  )
}

/** Ends a stream with a status; grpc-js takes one from an `error` event. */
export function endCall(call: WorkerCall, { code, details }: Ending): void {
  if (code === status.OK) call.end()
  else call.emit('error', { code, details })
}

/** How long the other side may read nothing of what was said before the end, or leave its own side open behind it. */
export const LAST_READ_MS: DurationMs = 1_000

/**
 * Ends a stream on which nothing else was said. It is cut behind that: who leaves its own side open would leave what
 * has come of its message, up to 16 MiB, in memory here.
 */
export function showOut(call: WorkerCall, ending: Ending, clock: Pick<Clock, 'after'>): void {
  endCall(call, ending)
  clock.after(LAST_READ_MS, () => cutCall(call))
}

/** The part of grpc-js that holds the HTTP/2 stream: nothing public resets one from this side. */
interface Inside {
  readonly call?: { readonly stream?: Pick<ServerHttp2Stream, 'close'> }
}

/** Resets a stream, and drops what was written and not read. Its status is lost with that. */
export function cutCall(call: WorkerCall): void {
  const { stream } = (call as unknown as Inside).call ?? {}
  stream?.close(constants.NGHTTP2_CANCEL)
  call.destroy()
}
