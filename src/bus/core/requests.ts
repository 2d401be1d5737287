import {
  createInbox,
  ErrorCode,
  type Msg,
  type NatsConnection,
  NatsError,
  type RequestOptions,
} from 'nats'
import { Slots } from '../../domain/slots.ts'

interface Waiting {
  /** Of all requests, so that a late answer to the one before in the same slot is nobody's. */
  readonly count: number
  readonly subject: string
  /** Of the monotonic clock, ms. */
  readonly until: number
  resolve(answer: Msg): void
  reject(error: NatsError): void
}

const TIMEOUT_MS = 1_000
/** JetStream's own questions are rare; the library knows how each of them fails. */
const API = '$JS.'

/**
 * From now on requests cost less: one timer for all that wait, and no error made for those that are
 * answered. The library makes one a request, with its stack trace, two more promises and a timer, which is
 * more than what it takes to decide the command that is sent. Answers and errors are the same.
 */
export function askCheaply(connection: NatsConnection, inboxPrefix?: string): void {
  const asLibrary = connection.request.bind(connection)
  const waiting = new Slots<Waiting>()
  const inbox = `${createInbox(inboxPrefix)}.`
  let isListening = false
  let asked = 0
  let timer: NodeJS.Timeout | undefined
  let timerAt = Number.POSITIVE_INFINITY

  /** @param token of a reply's subject */
  const asker = (token: string): Waiting | undefined => {
    const [slot = '', count] = token.split('-', 2)
    const found = waiting.get(Number(slot))
    return String(found?.count) === count ? waiting.take(Number(slot)) : undefined
  }
  const hear = (error: NatsError | null, message: Msg) => {
    if (error) {
      // We may not hear answers; the next request asks for the right anew.
      isListening = false
      return failAll(error)
    }
    const found = asker(message.subject.slice(inbox.length))
    if (isNobody(message)) found?.reject(new NatsError('503', ErrorCode.NoResponders))
    else found?.resolve(message)
  }
  const failAll = (error: NatsError) => {
    for (const [slot] of waiting.entries()) waiting.take(slot)?.reject(error)
  }
  const look = () => {
    timerAt = Number.POSITIVE_INFINITY
    const now = performance.now()
    const { late, next } = waiting.takeLate(now)
    for (const { reject } of late) reject(new NatsError('TIMEOUT', ErrorCode.Timeout))
    if (next !== undefined) lookAt(next, now)
  }
  const lookAt = (until: number, now: number) => {
    if (until >= timerAt) return
    clearTimeout(timer)
    timerAt = until
    // Immediates come after what is read, timers before it: where this process stood still, answers lie there.
    timer = setTimeout(() => setImmediate(look), Math.ceil(until - now))
    // The connection keeps the process alive while answers can come.
    timer.unref()
  }
  const request = (subject: string, data?: Uint8Array | string, options?: RequestOptions) => {
    if (options?.noMux || options?.reply || subject.startsWith(API)) {
      return asLibrary(subject, data, options)
    }
    return new Promise<Msg>((resolve, reject) => {
      const now = performance.now()
      const until = now + (options?.timeout || TIMEOUT_MS)
      if (!isListening) connection.subscribe(`${inbox}*`, { callback: hear })
      isListening = true
      const { headers } = options ?? {}
      const count = ++asked
      const slot = waiting.add({ count, subject, until, resolve, reject })
      const reply = `${inbox}${slot}-${count}`
      try {
        connection.publish(subject, data, { reply, ...(headers ? { headers } : {}) })
      } catch (error) {
        // The connection has ended.
        waiting.take(slot)
        throw error
      }
      lookAt(until, now)
    })
  }
  void failRefused(connection, waiting)
  void connection.closed().then(() => {
    clearTimeout(timer)
    failAll(new NatsError('CONNECTION_CLOSED', ErrorCode.ConnectionClosed))
  })
  Object.assign(connection, { request })
}

/** The server itself answers, with nothing but this status, where nobody listens. */
const isNobody = ({ data, headers }: Msg): boolean => data.length === 0 && headers?.code === 503

/** What the server does not let us say is told beside the answers: nobody has to wait for them. */
async function failRefused(connection: NatsConnection, waiting: Slots<Waiting>): Promise<void> {
  for await (const { permissionContext: refused } of connection.status()) {
    if (refused?.operation !== 'publish') continue
    const found = [...waiting.entries()].find(([, { subject }]) => subject === refused.subject)
    if (!found) continue
    const error = new NatsError('permissions violation', ErrorCode.PermissionsViolation)
    error.permissionContext = refused
    waiting.take(found[0])?.reject(error)
  }
}
