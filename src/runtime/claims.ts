import type { Registry } from '../ports/registry.ts'
import type { Claim } from './placement.ts'

/** A name that this host has just claimed. */
export interface AcquiredClaim {
  readonly name: string
  readonly from: number
  /** The last owner did not give it back: it may not know yet that it lost it. */
  readonly seized: boolean
}

/** What a host has left of each name it held: from where the next owner must read. */
export type Checkpoints = ReadonlyMap<string, Record<string, number>>

interface Options {
  readonly hostId: string
  /** Bucket PARTS. */
  readonly registry: Registry
}

export const checkpointKey = (hostId: string) => `checkpoint.${hostId}`
const PREFIX = 'claim.'
const claimKey = (name: string) => PREFIX + name

/**
 * Whose each name is, as far as this host has heard. Written by compare-and-set: of two hosts that
 * claim a name at once one gets it, and the other learns who.
 */
export class Claims {
  readonly #options: Options
  readonly #known = new Map<string, { claim: Claim; revision: number }>()

  constructor(options: Options) {
    this.#options = options
  }

  /** @param changed after each change @returns ends it */
  watch(changed: () => void): Promise<() => void> {
    return this.#options.registry.watch(`${PREFIX}>`, (key, entry) => {
      const name = key.slice(PREFIX.length)
      if (entry) this.#learn(name, entry.value as Claim, entry.revision)
      else this.#known.delete(name)
      changed()
    })
  }

  of(name: string): Claim | undefined {
    return this.#known.get(name)?.claim
  }

  get hosts(): ReadonlySet<string> {
    return new Set([...this.#known.values()].map(({ claim }) => claim.host))
  }

  /** Those that the holders of `names` have left, by host. */
  async checkpointsOf(names: readonly string[]): Promise<Checkpoints> {
    const hosts = new Set(names.flatMap((name) => this.of(name)?.host || []))
    const found = new Map<string, Record<string, number>>()
    for (const host of hosts) {
      const entry = await this.#options.registry.get(checkpointKey(host))
      if (entry) found.set(host, entry.value as Record<string, number>)
    }
    return found
  }

  /** @returns undefined: another host was quicker */
  async take(name: string, checkpoints: Checkpoints): Promise<AcquiredClaim | undefined> {
    const { hostId } = this.#options
    const previous = this.of(name)
    const from = Math.max(
      previous?.from ?? 1,
      (previous && checkpoints.get(previous.host)?.[name]) ?? 1,
    )
    if (!(await this.#write(name, { host: hostId, from }))) return undefined
    return { name, from, seized: previous !== undefined && previous.host !== '' }
  }

  /** @param from where its next owner goes on; undefined: where this one began */
  async giveBack(name: string, from: number | undefined): Promise<void> {
    const known = this.#known.get(name)
    if (!known || known.claim.host !== this.#options.hostId) return
    await this.#write(name, { host: '', from: from ?? known.claim.from })
  }

  /** @returns false: the bucket has another claim than was known, and it is known now */
  async #write(name: string, claim: Claim): Promise<boolean> {
    const { registry } = this.#options
    const key = claimKey(name)
    let revision = await registry.put(key, claim, this.#known.get(name)?.revision ?? 0)
    if (revision === 'conflict') {
      // The watch tells, too, but may be dumb for a while when a server has died.
      const entry = await registry.get(key)
      if (entry) {
        this.#learn(name, entry.value as Claim, entry.revision)
        return false
      }
      // A bucket that somebody has emptied tells no watch.
      revision = await registry.put(key, claim, 0)
      if (revision === 'conflict') return false
    }
    this.#learn(name, claim, revision)
    return true
  }

  #learn(name: string, claim: Claim, revision: number): void {
    const known = this.#known.get(name)
    if (known && known.revision >= revision) return
    this.#known.set(name, { claim, revision })
  }
}
