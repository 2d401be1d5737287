import { ReplyError } from 'ioredis'
import type { Node, World } from '../world.ts'
import { GROWS, Keyspace, WRITES } from './keyspace.ts'
import type { Reply, ScriptEngine } from './lua.ts'

interface Written {
  readonly at: number
  readonly command: string
  readonly args: readonly string[]
}

/** It is over `maxmemory`, or now and then so; or its disk takes nothing. */
export type Refusal = 'OOM' | 'OOM at times' | 'MISCONF'

/** One Redis: its data, its append-only file, and who it is in this life of it. */
export class SimRedis {
  readonly data: Keyspace
  runId: string
  /** How often anything has been written. */
  writes = 0
  readonly scripts: ScriptEngine
  /** Why it takes no writes now. */
  refusal: Refusal | undefined
  #world: World
  #file: Written[] = []
  readonly #onceOpened: ((by: Node) => void)[] = []
  readonly #connections = new Set<() => void>()

  constructor(world: World, scripts: ScriptEngine) {
    this.#world = world
    this.scripts = scripts
    this.data = new Keyspace(() => world.now())
    this.runId = newRunId(world)
  }

  /** What a client sends by itself. */
  command(command: string, args: readonly string[]): Reply {
    this.#refuse(command, this.#isFull())
    return this.perform(command, args)
  }

  perform(command: string, args: readonly string[]): Reply {
    const reply = this.data.perform(command, args)
    if (WRITES.has(command)) this.#append(command, args)
    return reply
  }

  runScript(script: number, keys: readonly string[], args: readonly string[], by: Node): Reply {
    // How full it is, it looks before the script begins.
    const isFull = this.#isFull()
    let hasWritten = false
    return this.scripts.run(script, keys, args, (command, more) => {
      // What has begun to write is not stopped halfway, be it that its first write only freed something.
      if (!hasWritten) this.#refuse(command, isFull)
      hasWritten ||= WRITES.has(command)
      if (command === 'ZADD' && more[0] === 'open') {
        for (const call of this.#onceOpened.splice(0)) call(by)
      }
      return this.perform(command, more)
    })
  }

  /** Calls when the server ends its connections. */
  onClose(call: () => void): () => void {
    this.#connections.add(call)
    return () => {
      this.#connections.delete(call)
    }
  }

  /** Calls once, when credits are set aside for a job, with who does that. */
  onNextOpened(call: (by: Node) => void): void {
    this.#onceOpened.push(call)
  }

  /** Somebody empties it; it lives on. */
  flushAll(): void {
    this.#world.history.add('redis', 'FLUSHALL')
    this.perform('FLUSHALL', [])
  }

  /** Killed and started again: all connections end, and the last writes may be gone. */
  restart(lostTailMs: number): void {
    const until = this.#world.now() - lostTailMs
    const kept = this.#file.filter(({ at }) => at <= until)
    const lost = this.#file.length - kept.length
    this.#world.history.add('redis', `starts again, ${lost} writes are lost`)
    this.#file = kept
    this.data.clear()
    for (const { command, args } of kept) this.data.perform(command, args)
    this.runId = newRunId(this.#world)
    this.writes++
    for (const call of [...this.#connections]) call()
  }

  /** Something else has grown, or was freed, since the command before. */
  #isFull(): boolean {
    return (
      this.refusal === 'OOM' || (this.refusal === 'OOM at times' && this.#world.random.chance(0.5))
    )
  }

  #refuse(command: string, isFull: boolean): void {
    if (isFull && GROWS.has(command)) {
      throw new ReplyError("OOM command not allowed when used memory > 'maxmemory'.")
    }
    if (this.refusal === 'MISCONF' && (WRITES.has(command) || command === 'PING')) {
      throw new ReplyError('MISCONF Errors writing to the AOF file: No space left on device')
    }
  }

  /** As Redis writes it: spans of time become moments. */
  #append(command: string, args: readonly string[]): void {
    this.writes++
    const at = this.#world.now()
    const [key = '', value = '', unit = '', amount = ''] = args
    if (command === 'EXPIRE') {
      const moment = String(at + Number(value) * 1_000)
      this.#file.push({ at, command: 'PEXPIREAT', args: [key, moment] })
    } else if (command === 'SET' && unit !== '') {
      const span = Number(amount) * (unit.toUpperCase() === 'EX' ? 1_000 : 1)
      this.#file.push({ at, command, args: [key, value, 'PXAT', String(at + span)] })
    } else this.#file.push({ at, command, args })
  }
}

const newRunId = (world: World): string => Buffer.from(world.random.bytes(20)).toString('hex')
