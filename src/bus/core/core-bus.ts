import { ErrorCode, headers, type Msg, type MsgHdrs, type NatsConnection, NatsError } from 'nats'
import type { DurationMs } from '../../domain/time.ts'
import { TRACEPARENT, type Traceparent, toTraceparent } from '../../domain/traceparent.ts'
import { type Bus, type BusHandler, NoResponders, RequestTimeout } from '../../ports/bus.ts'
import type { Log } from '../../telemetry/log.ts'
import { decode, encode } from '../codec.ts'
import { unlessClosed } from '../connection/closed.ts'
import { watchLink } from '../connection/link.ts'
import type { ServerSilence } from '../connection/server-silence.ts'
import { OwnSubjects } from './own-subjects.ts'

/**
 * Core NATS as the house's bus: callbacks, no unbounded iterators.
 * @param silence of the server, where somebody watches it; a bus that brings nothing is not connected
 */
export function makeCoreBus(connection: NatsConnection, log: Log, silence?: ServerSilence): Bus {
  const link = watchLink(connection, silence)
  const own = new OwnSubjects()

  return {
    get connected() {
      return link.connected
    },
    onConnection: link.onChange,
    publish: (subject, message) => {
      if (connection.isClosed()) return
      const handler = own.handlerOf(subject)
      if (handler) hand(handler, { subject, message, respond: () => {} }, log)
      else unlessClosed(() => connection.publish(subject, encode(message)))
    },
    request: async <Reply>(
      subject: string,
      message: unknown,
      timeoutMs: number,
      trace?: Traceparent,
    ) => {
      const handler = connection.isClosed() ? undefined : own.handlerOf(subject)
      if (handler) return askOwn<Reply>(handler, { subject, message, trace }, timeoutMs, log)
      const options = trace
        ? { timeout: timeoutMs, headers: headersOf(trace) }
        : { timeout: timeoutMs }
      try {
        const reply = await connection.request(subject, encode(message), options)
        return decode(reply.data) as Reply
      } catch (error) {
        throw translate(error, subject, timeoutMs)
      }
    },
    subscribe: (subject, handler, options) => {
      const subscription = connection.subscribe(subject, {
        ...(options?.queue ? { queue: options.queue } : {}),
        callback: (error, message) => {
          if (error) {
            log.error({ err: error, subject }, 'subscription failed')
            return
          }
          if (isFromStream(message)) {
            log.error({ subject }, 'bus: refused what a stream was made to say')
            return
          }
          deliver(message, handler, log)
        },
      })
      const disown = options?.own ? own.add(subject, handler) : undefined
      return {
        unsubscribe: () => {
          disown?.()
          subscription.unsubscribe()
        },
      }
    },
    flush: () => connection.flush(),
    close: async () => {
      await connection.drain()
      // One that no server lets drain is left open, and would go on connecting for ever.
      await connection.close()
    },
  }
}

interface Said {
  readonly subject: string
  readonly message: unknown
  readonly trace?: Traceparent | undefined
}

/** Later, as from the server: who speaks is not called back into. */
function hand(
  handler: BusHandler,
  { subject, message, trace, respond }: Said & { respond(reply: unknown): void },
  log: Log,
): void {
  queueMicrotask(() => guarded(subject, log, () => handler(message, subject, respond, trace)))
}

const askOwn = <Reply>(handler: BusHandler, said: Said, timeoutMs: DurationMs, log: Log) =>
  new Promise<Reply>((resolve, reject) => {
    const giveUp = () => reject(new RequestTimeout(said.subject, timeoutMs))
    const late = setTimeout(giveUp, timeoutMs).unref()
    const respond = (reply: unknown) => {
      clearTimeout(late)
      resolve(reply as Reply)
    }
    hand(handler, { respond, ...said }, log)
  })

/**
 * JetStream answers wherever a request asks it to, past the permissions of who asks: so somebody who
 * may write one bucket could have it say that content on any subject. Nobody speaks to anybody here
 * through a stream, and what comes from one is marked.
 */
const isFromStream = ({ reply, headers }: Msg): boolean =>
  (reply?.startsWith('$JS.') ?? false) || (headers?.has('Nats-Sequence') ?? false)

function deliver(message: Msg, handler: BusHandler, log: Log): void {
  const { subject } = message
  guarded(subject, log, () => {
    const respond = (reply: unknown) => {
      // Most of what is said asks for no answer.
      if (message.reply) unlessClosed(() => message.respond(encode(reply)))
    }
    const trace = message.headers && traceOf(message.headers)
    return handler(decode(message.data), subject, respond, trace)
  })
}

/** One bad message must not end the subscription that carries all the others, nor the process. */
function guarded(subject: string, log: Log, call: () => unknown): void {
  const failed = (error: unknown) => log.error({ err: error, subject }, 'message handler failed')
  try {
    const answered = call()
    if (answered instanceof Promise) answered.catch(failed)
  } catch (error) {
    failed(error)
  }
}

function headersOf(trace: Traceparent): MsgHdrs {
  const made = headers()
  made.set(TRACEPARENT, trace)
  return made
}

const traceOf = (given: MsgHdrs): Traceparent | undefined => toTraceparent(given.get(TRACEPARENT))

function translate(error: unknown, subject: string, timeoutMs: number): unknown {
  if (!(error instanceof NatsError)) return error
  if (error.code === ErrorCode.NoResponders) return new NoResponders(subject)
  if (
    error.code === ErrorCode.Timeout ||
    error.code === ErrorCode.Disconnect ||
    error.code === ErrorCode.ConnectionClosed ||
    error.code === ErrorCode.ConnectionDraining
  ) {
    return new RequestTimeout(subject, timeoutMs)
  }
  return error
}
