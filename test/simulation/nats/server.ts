import {
  BUCKETS,
  type BucketName,
  STREAMS,
  type StreamName,
} from '../../../src/bus/streams/streams.ts'
import type { Node, World } from '../world.ts'
import { SimBucket } from './bucket.ts'
import type { SimConsumer } from './consumer.ts'
import { apiError, SimStream, type StoreOptions } from './stream.ts'
import { SubjectIndex } from './subjects.ts'

export interface Listener {
  readonly subject: string
  readonly queue: string | undefined
  readonly node: Node
  hear(subject: string, data: Uint8Array, reply: Reply | undefined): void
}

/** Where the answer to a request goes. */
export interface Reply {
  readonly from: Node
  answer(data: Uint8Array): void
  nobody(): void
}

/** What has no room left: a stream by itself, or all of them and the buckets. */
export type Full = 'server' | StreamName

/** The NATS server, or cluster: core messages that may be lost, streams and buckets that are not. */
export class SimNats {
  readonly world: World
  readonly streams = new Map<StreamName, SimStream>()
  readonly buckets = new Map<BucketName, SimBucket>()
  readonly consumers = new Map<string, SimConsumer>()
  full: Full | undefined
  /** Until it notices that a process is gone whose machine lost its power: what is for it is sent to nobody. */
  noticesDeathMs = 0
  /** Processes whose watches of buckets have stalled, and have not noticed that yet. */
  readonly stalled = new Set<string>()
  readonly #notMissed = new Set<Node>()
  readonly #listeners = new SubjectIndex<Listener>()

  constructor(world: World) {
    this.world = world
    for (const name of Object.keys(STREAMS) as StreamName[]) {
      this.streams.set(name, new SimStream(STREAMS[name], () => this.#findRoom(name)))
    }
    for (const name of Object.keys(BUCKETS) as BucketName[]) {
      this.buckets.set(name, new SimBucket(world, () => this.#findRoom('bucket')))
    }
  }

  stream = (name: string): SimStream => this.streams.get(name as StreamName)!
  bucket = (name: string): SimBucket => this.buckets.get(name as BucketName)!

  listen(listener: Listener): void {
    this.#listeners.add(listener.subject, listener)
  }

  leave(listener: Listener): void {
    this.#listeners.remove(listener.subject, listener)
  }

  /** A process has died. @param leave ends what it listens to */
  lost(node: Node, leave: () => void): void {
    if (this.noticesDeathMs === 0 || this.world.faults.healing) {
      leave()
      return
    }
    this.#notMissed.add(node)
    this.world.after(this.noticesDeathMs, () => {
      this.#notMissed.delete(node)
      leave()
    })
  }

  /** As far as the server knows. */
  isThere = (node: Node): boolean => node.alive || this.#notMissed.has(node)

  /** Hands a message to all who listen, and to one of each queue group. */
  publish(subject: string, data: Uint8Array, reply?: Reply): void {
    const groups = new Map<string, Listener[]>()
    const found: Listener[] = []
    for (const listener of this.#listeners.find(subject)) {
      const { queue } = listener
      if (queue === undefined) found.push(listener)
      else groups.set(queue, [...(groups.get(queue) ?? []), listener])
    }
    for (const group of groups.values()) found.push(this.world.random.pick(group))
    if (found.length === 0 && reply) reply.from.receive('nats', () => reply.nobody())
    for (const listener of found) this.#hand(listener, subject, data, reply)
  }

  store(subject: string, data: Uint8Array, options: StoreOptions) {
    const name = subject.slice(0, subject.indexOf('.')).toUpperCase()
    return this.stream(name).store(subject, data, this.world.now(), options)
  }

  #findRoom(name: StreamName | 'bucket'): void {
    if (this.full === 'server') throw apiError(10_023, 503, 'insufficient resources')
    if (this.full === name) throw apiError(10_077, 503, 'maximum bytes exceeded')
  }

  #hand(listener: Listener, subject: string, data: Uint8Array, reply: Reply | undefined): void {
    const { random, faults } = this.world
    if (random.chance(faults.lostRequest)) return
    const hear = () => listener.hear(subject, data, reply)
    listener.node.receive('nats', hear)
    if (random.chance(faults.duplicate)) listener.node.receive('nats', hear)
  }
}
