import type { Kernel } from './kernel.ts'
import { textOf } from './text-of.ts'
import type { Node } from './world.ts'

export interface Running {
  stop(): Promise<void>
}

/** How one process is started, again and again. */
export type Start = (node: Node) => Promise<Running>

interface Kept {
  readonly name: string
  readonly start: Start
  node: Node | undefined
  running: Running | undefined
}

const RESTART_MS = [200, 4_000] as const
/** The supervisor's patience with a process that was asked to end. */
const STOP_MS = 12_000

/** Starts processes, and starts anew what has died, as a supervisor does. */
export class Processes {
  readonly #kernel: Kernel
  readonly #kept = new Map<string, Kept>()
  readonly #away = new Set<string>()

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  keep(name: string, start: Start): void {
    const kept: Kept = { name, start, node: undefined, running: undefined }
    this.#kept.set(name, kept)
    this.#start(kept)
  }

  get names(): readonly string[] {
    return [...this.#kept.keys()]
  }

  node(name: string): Node | undefined {
    return this.#kept.get(name)?.node
  }

  /** Every process runs: none dead, none still starting, none that stands still. */
  get areUp(): boolean {
    return [...this.#kept.values()].every(
      ({ node, running }) => node?.alive && !node.paused && running,
    )
  }

  /** Ends it as an operator does who puts a new version in its place. */
  replace(name: string): void {
    const kept = this.#kept.get(name)
    const { node, running } = kept ?? {}
    if (!node?.alive || node.paused || !running) return
    this.#kernel.history.add(name, 'is told to end')
    node.run(() => {
      const ended = () => node.kill()
      running.stop().then(ended, (error) => {
        this.#kernel.history.add(name, `did not end well: ${textOf(error)}`)
        ended()
      })
    })
    this.#kernel.after(STOP_MS, () => node.kill())
  }

  /** It ends at once, and is not started again. */
  takeAway(name: string): void {
    this.#away.add(name)
    this.node(name)?.kill()
  }

  bringBack(name: string): void {
    const kept = this.#kept.get(name)
    if (this.#away.delete(name) && kept && !kept.node?.alive) this.#start(kept)
  }

  #start(kept: Kept): void {
    const { name, start } = kept
    if (this.#away.has(name) || kept.node?.alive) return
    const node = this.#kernel.node(name)
    kept.node = node
    node.onDeath(() => {
      kept.running = undefined
      this.#kernel.after(this.#kernel.random.between(...RESTART_MS), () => this.#start(kept))
    })
    node.run(() => {
      start(node).then(
        (running) => {
          if (node.alive) kept.running = running
        },
        (error) => {
          // A process that cannot start says so and exits.
          this.#kernel.history.add(name, `cannot start: ${textOf(error)}`)
          node.kill()
        },
      )
    })
  }
}
