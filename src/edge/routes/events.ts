import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Balances } from '../../api/balances.ts'
import { RefusalError, refuse } from '../../api/http/errors.ts'
import type { Address } from '../../domain/ids.ts'
import type { ServiceNames } from '../../domain/service-names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FactReader } from '../../ports/fact-reader.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Auth } from '../callers/auth.ts'
import { callerOf } from '../callers/caller.ts'
import { parseEventsOrder } from '../events/event-query.ts'
import { Listener } from '../events/listener.ts'
import { LISTENERS_PER_WALLET, type Listeners } from '../events/listeners.ts'
import { listenToEvents } from '../openapi/operations.ts'

interface Options {
  readonly auth: Auth
  readonly balances: Balances
  readonly facts: FactReader
  readonly listeners: Listeners
  readonly clock: Clock
  readonly log: Log
  readonly docsUrl: string
  readonly names: ServiceNames
}
type Query = Readonly<Record<string, string | string[] | undefined>>

/** The events of the wallet as they happen: for developers whose machine no webhook reaches. */
export function events(server: FastifyInstance, options: Options): void {
  const { auth, balances, facts, listeners } = options
  const { creditsRemaining } = options.names.headers
  const route = { config: { operation: listenToEvents }, exposeHeadRoute: false }
  server.get<{ Querystring: Query }>('/v1/events', route, async (request, reply) => {
    const { wallet } = callerOf(request)
    const order = parseEventsOrder(request.query, request.headers['last-event-id'])
    if (!order.ok) throw new RefusalError(order.error)
    const { types, after } = order.value
    const [position, remaining] = await Promise.all([begin(wallet, after), balances.glance(wallet)])
    // From here to its place in the list nothing is waited for: of many at once none slips in between.
    if (listeners.isFull(wallet)) throw tooManyListeners()
    if (remaining !== undefined) reply.header(creditsRemaining, String(remaining))
    reply.hijack()
    reply.raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...STREAM_HEADERS })
    const listener = new Listener({
      ...options,
      response: reply.raw,
      cursor: facts.open(wallet, position),
      types,
      checkKey: () => auth.authenticate(request.headers.authorization),
    })
    await listeners.run(wallet, listener)
    return reply
  })

  /** @returns where the stream begins: after the events of the wallet have come to be told */
  async function begin(wallet: Address, after: number | undefined): Promise<number> {
    try {
      await listeners.announce(wallet)
      return after ?? (await facts.newest())
    } catch (error) {
      options.log.warn({ err: error, wallet }, 'events: cannot be listened to')
      throw refuse('service_unavailable', 'Events cannot be read at the moment; try again.')
    }
  }
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

const tooManyListeners = () =>
  refuse(
    'rate_limited',
    `${LISTENERS_PER_WALLET} clients listen to the events of this wallet already. Close one of them.`,
  )
