import {
  ErrorCode,
  Events,
  type JetStreamClient,
  type Msg,
  type NatsConnection,
  NatsError,
  type RequestOptions,
  type Status,
  type SubscriptionOptions,
} from 'nats'
import type { Node } from '../world.ts'
import { Arrivals } from './arrivals.ts'
import { jetStream, jetStreamManager } from './jetstream.ts'
import type { Listener, Reply, SimNats } from './server.ts'

/** A client notices a cut by its pings, and a server that is there again by trying. */
const NOTICED_MS = 1_500
const AGAIN_MS = 300

/** What the client library gives to a process, as far as the house uses it. */
export function connectSimNats(server: SimNats, node: Node): NatsConnection {
  const { world } = server
  const statuses: Arrivals<Status>[] = []
  const listeners = new Set<Listener>()
  let isCut = false
  let connected = true

  const tell = (type: Events) => {
    for (const status of statuses) status.push({ type, data: 'nats' })
  }
  const notice = () => {
    if (isCut === !connected) return
    connected = !isCut
    // Whoever listened says so again.
    if (connected) for (const each of listeners) node.send('nats', () => server.listen(each))
    tell(connected ? Events.Reconnect : Events.Disconnect)
  }
  world.faults.onCut((a, b, cut) => {
    if (a !== node.name || b !== 'nats') return
    isCut = cut
    const span = (cut ? NOTICED_MS : AGAIN_MS) * world.random.next()
    node.clock.after(span, notice)
  })
  node.onDeath(() => {
    server.lost(node, () => {
      for (const each of listeners) server.leave(each)
    })
  })

  const subscribe = (subject: string, { queue, callback }: SubscriptionOptions = {}) => {
    const listener: Listener = {
      subject,
      queue,
      node,
      hear: (on, data, reply) => {
        if (listeners.has(listener)) callback?.(null, messageOf(server, node, on, data, reply))
      },
    }
    listeners.add(listener)
    node.send('nats', () => {
      if (node.alive && listeners.has(listener)) server.listen(listener)
    })
    return {
      unsubscribe: () => {
        listeners.delete(listener)
        node.send('nats', () => server.leave(listener))
      },
    }
  }
  const request = (subject: string, data: Uint8Array, { timeout }: RequestOptions) =>
    new Promise<Pick<Msg, 'data'>>((resolve, reject) => {
      const giveUp = () => reject(new NatsError('TIMEOUT', ErrorCode.Timeout))
      const cancel = node.clock.after(timeout, giveUp)
      const reply: Reply = {
        from: node,
        answer: (answer) => {
          cancel()
          resolve({ data: answer })
        },
        nobody: () => {
          cancel()
          reject(new NatsError('503', ErrorCode.NoResponders))
        },
      }
      node.send('nats', () => server.publish(subject, data, reply))
    })
  let manager: ReturnType<typeof jetStreamManager> | undefined

  const connection = {
    publish: (subject: string, data: Uint8Array) =>
      node.send('nats', () => server.publish(subject, data)),
    request,
    subscribe,
    status: () => {
      const status = new Arrivals<Status>()
      statuses.push(status)
      return status
    },
    isClosed: () => false,
    flush: () =>
      node.call(
        'nats',
        () => {},
        () => new NatsError('TIMEOUT', ErrorCode.Timeout),
      ),
    drain: async () => {
      for (const each of listeners) server.leave(each)
      listeners.clear()
    },
    jetstream: (): JetStreamClient => jetStream(server, node),
    jetstreamManager: async () => {
      manager ??= jetStreamManager(server, node)
      return manager
    },
  }
  return connection as unknown as NatsConnection
}

function messageOf(
  { world }: SimNats,
  node: Node,
  subject: string,
  data: Uint8Array,
  reply: Reply | undefined,
): Msg {
  const respond = (answer: Uint8Array) => {
    // An answer is a core message as well: what was asked for is done, and who asked does not hear of it.
    if (!reply || world.random.chance(world.faults.lostAnswer)) return
    node.send('nats', () => reply.from.receive('nats', () => reply.answer(answer)))
  }
  return { subject, data, respond, ...(reply ? { reply: 'answers' } : {}) } as unknown as Msg
}
