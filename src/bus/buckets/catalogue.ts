import type { Address } from '../../domain/ids.ts'
import type { CatalogueModel } from '../../domain/models.ts'
import { type CatalogueRecord, catalogueKey } from '../../messages/catalogue.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Catalogue } from '../../ports/catalogue.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Registry, RegistryEntry } from '../../ports/registry.ts'
import type { Log } from '../../telemetry/log.ts'
import { requireDeployment } from './one-deployment.ts'

interface Options {
  /** Bucket MODELS, and the key there of the registry that this service is for. */
  readonly registry: Pick<Registry, 'get' | 'watch'>
  readonly key: string
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
}

export interface WatchedCatalogue extends Catalogue {
  stop(): void
}

const REWATCH_MS = 500
/** A watch that ends in a way nobody notices must not keep a model from callers for long. */
const SAFETY_READ_MS = 10_000

/** What a role that serves one deployment opens it with. */
interface Opening extends Pick<Options, 'clock' | 'log'> {
  readonly nats: { readonly bus: Bus; registry(bucket: 'MODELS'): Promise<Registry> }
  readonly contracts: {
    readonly chainId: number
    readonly modelRegistry: Address
    readonly jobEscrow: Address
  }
}

/** @throws {OperatorError} this NATS is about another escrow */
export async function openCatalogue({
  nats,
  contracts,
  clock,
  log,
}: Opening): Promise<WatchedCatalogue> {
  const registry = await nats.registry('MODELS')
  await requireDeployment(registry, contracts)
  return watchCatalogue({ registry, key: catalogueKey(contracts), bus: nats.bus, clock, log })
}

/**
 * Keeps what the bucket says in memory, so that a request costs a look into a map. What was heard
 * stays in force while NATS is away, as retirements take effect by time alone.
 */
export function watchCatalogue({ registry, key, bus, clock, log }: Options): WatchedCatalogue {
  const memory = new CatalogueMemory(log)
  let stopped = false
  let epoch = 0
  let unwatch: (() => void) | undefined
  let cancelRetry: (() => void) | undefined

  const watch = async () => {
    cancelRetry?.()
    unwatch?.()
    unwatch = undefined
    const mine = ++epoch
    memory.forgetRevision()
    const isVoid = () => stopped || mine !== epoch
    try {
      const take = (_key: string, entry: RegistryEntry | undefined) => {
        if (!isVoid()) memory.take(entry)
      }
      // The bucket may have gone while the connection stood.
      const end = await registry.watch(key, take, { broken: () => memory.forgetRevision() })
      if (isVoid()) return end()
      unwatch = end
    } catch (error) {
      if (isVoid()) return
      log.warn({ err: error }, 'catalogue: cannot be watched, trying again')
      cancelRetry = clock.after(REWATCH_MS, () => void watch())
    }
  }
  const read = async () => {
    try {
      memory.take(await registry.get(key))
    } catch (error) {
      log.debug({ err: error }, 'catalogue: not read, the last one stays in force')
    }
  }

  bus.onConnection((connected) => {
    if (connected && !stopped) void watch()
  })
  void watch()
  const endReads = clock.every(SAFETY_READ_MS, () => void read())

  return Object.assign(memory, {
    stop: () => {
      stopped = true
      endReads()
      cancelRetry?.()
      unwatch?.()
    },
  })
}

class CatalogueMemory implements Catalogue {
  readonly #log: Log
  readonly #listeners = new Set<() => void>()
  #revision = 0
  #models: ReadonlyMap<string, CatalogueModel> | undefined

  constructor(log: Log) {
    this.#log = log
  }

  get known(): boolean {
    return this.#models !== undefined
  }
  find = (id: string): CatalogueModel | undefined => this.#models?.get(id)
  all = (): readonly CatalogueModel[] => [...(this.#models?.values() ?? [])]

  onChange(call: () => void): () => void {
    this.#listeners.add(call)
    return () => void this.#listeners.delete(call)
  }

  /** A bucket that was made anew counts from 1 again; what a new watch says first is what holds. */
  forgetRevision(): void {
    this.#revision = 0
  }

  /** A record that was deleted is nobody's word that there are no models: it is written anew soon. */
  take(entry: RegistryEntry | undefined): void {
    // A reading may be older than what the watch has brought since.
    if (!entry || entry.revision <= this.#revision) return
    const { models } = entry.value as CatalogueRecord
    this.#revision = entry.revision
    this.#models = new Map(models.map((model) => [model.id, model]))
    this.#log.info({ models: models.length }, 'catalogue: heard')
    for (const call of this.#listeners) call()
  }
}
