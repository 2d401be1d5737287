import type { World } from '../world.ts'
import { Keyspace, WRITES } from './keyspace.ts'
import type { Reply, ScriptEngine } from './lua.ts'

interface Written {
  readonly at: number
  readonly command: string
  readonly args: readonly string[]
}

/** One Redis: its data, its append-only file, and who it is in this life of it. */
export class SimRedis {
  readonly data: Keyspace
  runId: string
  /** How often anything has been written. */
  writes = 0
  readonly scripts: ScriptEngine
  #world: World
  #file: Written[] = []
  readonly #connections = new Set<() => void>()

  constructor(world: World, scripts: ScriptEngine) {
    this.#world = world
    this.scripts = scripts
    this.data = new Keyspace(() => world.now())
    this.runId = newRunId(world)
  }

  perform(command: string, args: readonly string[]): Reply {
    const reply = this.data.perform(command, args)
    if (WRITES.has(command)) this.#append(command, args)
    return reply
  }

  runScript(script: number, keys: readonly string[], args: readonly string[]): Reply {
    return this.scripts.run(script, keys, args, (command, more) => this.perform(command, more))
  }

  /** Calls when the server ends its connections. */
  onClose(call: () => void): () => void {
    this.#connections.add(call)
    return () => {
      this.#connections.delete(call)
    }
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
