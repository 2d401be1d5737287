import { EventEmitter } from 'node:events'
import type { Redis } from 'ioredis'
import type { Node } from '../world.ts'
import type { Reply } from './lua.ts'
import type { SimRedis } from './server.ts'

type Argument = string | number | Buffer
type Answer = string | number | null | Buffer | readonly Answer[]

interface Sent {
  act(): Reply
  resolve(reply: Reply): void
  reject(error: unknown): void
}

interface Script {
  readonly number: number
  /** Undefined: the first argument says it. */
  readonly numberOfKeys: number | undefined
}

const COMMANDS = [
  ...['get', 'set', 'unlink', 'del', 'zadd', 'zrem', 'zrangebyscore'],
  ...['hmget', 'hget', 'hset', 'hexists', 'ping'],
]

/** As much of an ioredis client as the store uses, in a process of the world. */
export function simRedisClient(server: SimRedis, node: Node): Redis {
  return new Client(server, node) as unknown as Redis
}

/**
 * What is sent in one turn goes over the wire together and is carried out in order; a connection that
 * breaks meanwhile has brought some of it.
 */
class Client extends EventEmitter {
  readonly #server: SimRedis
  readonly #node: Node
  readonly #scripts = new Map<string, Script>()
  #queue: Sent[] = []
  /** Of the connection: what was sent over an earlier one is never answered. */
  #connection = 1;
  [command: string]: unknown

  constructor(server: SimRedis, node: Node) {
    super()
    this.#server = server
    this.#node = node
    const leave = server.onClose(() => this.#close())
    node.onDeath(leave)
    for (const name of COMMANDS) {
      this[name] = (...args: readonly (Argument | Argument[])[]) =>
        this.#send(name, args.flat()).then(asText)
    }
    this.getBuffer = (key: Argument) => this.#send('get', [key]).then(asBuffers)
  }

  defineCommand(name: string, { lua, numberOfKeys }: { lua: string; numberOfKeys?: number }): void {
    this.#scripts.set(name, { number: this.#server.scripts.load(lua), numberOfKeys })
    this[name] = (...args: readonly (Argument | Argument[])[]) =>
      this.#run(name, args.flat()).then(asText)
    this[`${name}Buffer`] = (...args: readonly (Argument | Argument[])[]) =>
      this.#run(name, args.flat()).then(asBuffers)
  }

  info(): Promise<string> {
    return this.#enqueue(() => `# Server\r\nrun_id:${this.#server.runId}\r\n`).then(String)
  }

  pipeline() {
    const replies: Promise<unknown>[] = []
    const pipeline: Record<string, unknown> = {
      exec: () =>
        Promise.all(
          replies.map((reply) =>
            reply.then(
              (value) => [null, value],
              (error: unknown) => [error, undefined],
            ),
          ),
        ),
    }
    for (const name of [...COMMANDS, ...this.#scripts.keys()]) {
      pipeline[name] = (...args: Argument[]) => {
        replies.push((this[name] as (...args: Argument[]) => Promise<unknown>)(...args))
        return pipeline
      }
    }
    return pipeline
  }

  /** All keys that begin with what comes before the first star, in one portion. */
  async *scanStream({ match }: { match: string }) {
    const prefix = match.slice(0, match.indexOf('*'))
    const found = await this.#enqueue(() => this.#server.data.keys(prefix))
    yield asText(found)
  }

  disconnect(): void {}

  #send(name: string, args: readonly Argument[]): Promise<Reply> {
    return this.#enqueue(() => this.#server.command(name.toUpperCase(), args.map(bytesOf)))
  }

  #run(name: string, args: readonly Argument[]): Promise<Reply> {
    const { number, numberOfKeys } = this.#scripts.get(name)!
    const [count, rest] =
      numberOfKeys === undefined ? [Number(args[0]), args.slice(1)] : [numberOfKeys, args]
    const all = rest.map(bytesOf)
    return this.#enqueue(() =>
      this.#server.runScript(number, all.slice(0, count), all.slice(count), this.#node),
    )
  }

  #enqueue(act: () => Reply): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#queue.length === 0) void Promise.resolve().then(() => this.#flush())
      this.#queue.push({ act, resolve, reject })
    })
  }

  #flush(): void {
    const batch = this.#queue
    this.#queue = []
    const connection = this.#connection
    const broken = () => new Error('Connection is closed.')
    this.#node
      .call('redis', () => batch.map((sent) => this.#carryOut(sent, connection)), broken)
      .then(
        (outcomes) => {
          for (const settle of outcomes) settle()
        },
        (error: unknown) => {
          for (const { reject } of batch) reject(error)
          this.#close()
        },
      )
  }

  #carryOut({ act, resolve, reject }: Sent, connection: number): () => void {
    if (connection !== this.#connection) return () => reject(new Error('Connection is closed.'))
    try {
      const reply = act()
      return () => {
        if (connection === this.#connection) resolve(reply)
        else reject(new Error('Connection is closed.'))
      }
    } catch (error) {
      return () => reject(error)
    }
  }

  /** The next command goes over a new connection. */
  #close(): void {
    this.#connection++
    this.emit('close')
  }
}

/** Whatever its type, as Redis takes it. */
function bytesOf(argument: Argument): string {
  if (Buffer.isBuffer(argument)) return argument.toString('latin1')
  const text = String(argument)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all that is not ASCII
  return /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}

function asText(reply: Reply): Answer {
  if (typeof reply === 'string') return Buffer.from(reply, 'latin1').toString('utf8')
  return Array.isArray(reply) ? reply.map(asText) : (reply as Answer)
}

function asBuffers(reply: Reply): Answer {
  if (typeof reply === 'string') return Buffer.from(reply, 'latin1')
  return Array.isArray(reply) ? reply.map(asBuffers) : (reply as Answer)
}
