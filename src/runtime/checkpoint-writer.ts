import type { Registry } from '../ports/registry.ts'
import type { Log } from '../telemetry/log.ts'

/** By name, from where its next owner must read. */
export type Checkpoint = ReadonlyMap<string, number>

interface Options {
  readonly registry: Registry
  /** Nobody else writes it. */
  readonly key: string
  readonly log: Log
}

/**
 * Keeps a host's checkpoint in the registry, and writes only what has changed. So nothing would mend a
 * write that arrives late and undoes a newer one: each says which one it replaces.
 */
export class CheckpointWriter {
  readonly #options: Options
  #written: Checkpoint = new Map()
  #revision = 0
  #writing = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Does nothing where nothing has changed, nor while another write is under way: ask again. */
  async write(checkpoint: Checkpoint): Promise<void> {
    if (this.#writing || isSame(checkpoint, this.#written)) return
    const { registry, key, log } = this.#options
    this.#writing = true
    try {
      const value = Object.fromEntries(checkpoint)
      const revision = await registry.put(key, value, this.#revision)
      if (revision === 'conflict') {
        // What stands there is of a write of ours whose answer was lost.
        this.#revision = (await registry.get(key))?.revision ?? 0
        return
      }
      this.#revision = revision
      this.#written = checkpoint
    } catch (error) {
      // An old checkpoint is still true; the next owner only reads more.
      log.warn({ err: error }, 'ownership: checkpoint not written')
    } finally {
      this.#writing = false
    }
  }
}

function isSame(one: Checkpoint, other: Checkpoint): boolean {
  if (one.size !== other.size) return false
  for (const [name, from] of one) if (other.get(name) !== from) return false
  return true
}
