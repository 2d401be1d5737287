import { setFlagsFromString } from 'node:v8'
import { addMs, type DurationMs, toUnixMs, type UnixMs } from '../../src/domain/time.ts'
import type { Core, Process } from './core.ts'
import { makeChaos } from './faults.ts'
import { enterLife, leaveLife } from './globals.ts'
import { LifeHistory } from './history.ts'
import { SimNode } from './node.ts'
import { makeQueue } from './queue.ts'
import { makeRandom } from './random.ts'
import { wholeTextOf } from './text-of.ts'
import type { Chaos, Node, NodeOptions, Random } from './world.ts'

const BEGIN = toUnixMs(Date.UTC(2026, 10, 22))

/**
 * Simulated time and chance, and everything that happens in it, one event after the other. Each event
 * runs until no promise has anything left to do, so the order of all things follows from the seed.
 */
export class Kernel implements Core {
  readonly seed: number
  readonly random: Random
  readonly faults: Chaos
  readonly history: LifeHistory
  /** The node whose event is under way. */
  current: Process | undefined
  /** How many events there have been. */
  events = 0
  /** What must not happen in any life: a throw that nobody caught, a broken promise of a node. */
  readonly failures: string[] = []
  readonly nodes = new Map<string, SimNode>()
  readonly #queue = makeQueue()
  readonly #skews = { least: 0, most: 0 }
  #sinceBegin = 0
  /** What clocks have gone on by, and timers have not. */
  #slept = 0
  #stopped = false

  constructor(seed: number) {
    this.seed = seed
    this.random = makeRandom(seed)
    this.history = new LifeHistory(() => this.now())
    this.faults = makeChaos(this)
  }

  /** Whole milliseconds, as every clock of the house gives them. */
  now(): UnixMs {
    return addMs(BEGIN, Math.floor(this.#sinceBegin) + this.#slept)
  }

  /** Everything sleeps, as on a machine that is suspended: clocks go on, timers stand still. */
  leap(ms: DurationMs): void {
    this.#slept += Math.floor(ms)
  }

  /** Milliseconds since the life began that it was awake, with their fractions. */
  elapsed(): DurationMs {
    return this.#sinceBegin
  }

  noteSkew(skewMs: DurationMs): void {
    this.#skews.least = Math.min(this.#skews.least, skewMs)
    this.#skews.most = Math.max(this.#skews.most, skewMs)
  }

  /** How far apart any two clocks of this life have been. */
  get clocksApartMs(): DurationMs {
    return this.#skews.most - this.#skews.least
  }

  after(ms: DurationMs, act: () => void): () => void {
    return this.#queue.push(this.#sinceBegin + Math.max(0, ms), act)
  }

  node(name: string, options: NodeOptions = {}): Node {
    const former = this.nodes.get(name)
    if (former?.alive) throw new Error(`there is a living node ${name} already`)
    const node = new SimNode(this, name, options)
    this.nodes.set(name, node)
    return node
  }

  fail(what: string): void {
    this.failures.push(what)
    this.history.add('FAILURE', what)
  }

  stop(): void {
    this.#stopped = true
  }

  /**
   * Lives from `begin` on until `until` after it, or until it is stopped. `afterEach` looks at the
   * world between any two events. Must be called from a task of its own, not from within a promise.
   */
  live(until: DurationMs, begin: () => void, afterEach: () => void = () => {}): void {
    enterLife(this)
    try {
      this.#run(begin)
      while (!this.#stopped && this.failures.length === 0) {
        const event = this.#queue.pop(until)
        if (!event) break
        this.#sinceBegin = event.at
        this.events++
        this.#run(event.act)
        afterEach()
      }
    } finally {
      leaveLife()
    }
  }

  /** What is done for a node makes it the current one, and leaves it so until promises rest. */
  #run(act: () => void): void {
    this.current = undefined
    try {
      act()
    } catch (error) {
      this.fail(
        `${(this.current as Process | undefined)?.name ?? 'world'}: uncaught ${wholeTextOf(error)}`,
      )
    }
    settlePromises()
    this.current = undefined
  }
}

/** V8's own: runs every promise reaction there is, and those that they cause. */
const settlePromises = makeSettlePromises()

function makeSettlePromises(): () => void {
  setFlagsFromString('--allow-natives-syntax')
  const settle = new Function('%PerformMicrotaskCheckpoint()') as () => void
  setFlagsFromString('--no-allow-natives-syntax')
  return settle
}
