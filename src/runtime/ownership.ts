import { SUBJECTS } from '../messages/subjects.ts'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { Registry } from '../ports/registry.ts'
import type { Log } from '../telemetry/log.ts'
import { Seldom } from '../telemetry/seldom.ts'
import { CheckpointWriter } from './checkpoint-writer.ts'
import { type AcquiredClaim, Claims, checkpointKey } from './claims.ts'
import { Hosts } from './hosts.ts'
import { makeHomes, placementOf } from './placement.ts'

/** What hosts share out among themselves: the partitions of the jobs, a signing lane, a watcher. */
export interface ResourceKind {
  /** As in a host's ACTOR_KINDS. */
  readonly kind: string
  readonly names: readonly string[]
  /** Starts working; may be called for a few names at a time. */
  acquire(claims: readonly AcquiredClaim[]): Promise<void>
  /** Stops working; resolves when nothing of it is under way. */
  release(names: readonly string[]): Promise<void>
  /** From where the next owner of each held name must read. */
  checkpoints?(): ReadonlyMap<string, number>
}

interface Options {
  readonly hostId: string
  readonly resources: readonly ResourceKind[]
  readonly bus: Bus
  /** Bucket PARTS. */
  readonly registry: Registry
  readonly clock: Clock
  readonly log: Log
}

const CHECKPOINT_MS = 1_000
const RETRY_MS = 500

/** Claims what belongs to this host, gives back what does not, notices what it lost. */
export class Ownership {
  readonly #options: Options
  readonly #hosts: Hosts
  readonly #claims: Claims
  /** Of 64 partitions each is tried, twice a second. */
  readonly #seldom: Seldom
  readonly #held = new Set<string>()
  /** Those of them that have begun: what is being acquired may fail, again and again. */
  readonly #begun = new Set<string>()
  readonly #resting = new Set<ResourceKind>()
  readonly #homes: ReadonlyMap<ResourceKind, ReturnType<typeof makeHomes>>
  readonly #checkpoint: CheckpointWriter
  #placing: Promise<void> = Promise.resolve()
  #queued = false
  #leaving = false
  #stops: (() => void)[] = []

  constructor(options: Options) {
    this.#options = options
    const { hostId, registry, clock, log } = options
    this.#seldom = new Seldom(clock, log)
    this.#claims = new Claims(options)
    this.#checkpoint = new CheckpointWriter({ registry, key: checkpointKey(hostId), log })
    this.#homes = new Map(options.resources.map((resource) => [resource, makeHomes()]))
    this.#hosts = new Hosts({
      hostId: options.hostId,
      kinds: options.resources.map((resource) => resource.kind),
      bus: options.bus,
      clock: options.clock,
      changed: () => this.#place(),
    })
  }

  async start(): Promise<void> {
    const { bus, clock } = this.#options
    const unwatch = await this.#claims.watch(() => this.#place())
    this.#hosts.start()
    // Somebody found a partition without an owner: test the one we think it has.
    const orphans = bus.subscribe(SUBJECTS.orphan, (message) => {
      const { partition } = message as { partition: number }
      const owner = this.#claims.of(`p.${partition}`)?.host
      if (owner) void this.#hosts.probe(owner)
      else this.#place()
    })
    this.#stops = [
      unwatch,
      () => orphans.unsubscribe(),
      clock.every(CHECKPOINT_MS, () => this.#writeCheckpoint()),
    ]
    await this.#probeOwners()
  }

  /**
   * The lowest of the checkpoints `<name>.<mark>` that the holders of `names` have left; where one
   * left none, the sequence from which it took the name over.
   */
  async lowest(names: readonly string[], mark: string): Promise<number> {
    const checkpoints = await this.#claims.checkpointsOf(names)
    const sequences = names.map((name) => {
      const claim = this.#claims.of(name)
      const left = claim && checkpoints.get(claim.host)?.[`${name}.${mark}`]
      return left ?? claim?.from ?? 1
    })
    return Math.min(...sequences)
  }

  /** Gives everything back and leaves. */
  async stop(): Promise<void> {
    const { bus, registry, hostId, resources, log } = this.#options
    this.#leaving = true
    this.#hosts.leave()
    await this.#placing
    for (const resource of resources) {
      await this.#giveBack(
        resource,
        resource.names.filter((name) => this.#held.has(name)),
      )
    }
    for (const stop of this.#stops) stop()
    this.#hosts.stop()
    if (!bus.connected) return
    await registry.delete(checkpointKey(hostId)).catch((error) => {
      // Nobody's claim leads to it any more.
      log.warn({ err: error }, 'ownership: checkpoint left behind')
    })
  }

  /** Whether this host runs it. */
  holds(name: string): boolean {
    return this.#begun.has(name)
  }

  /** Owners left over from an earlier life of the network are gone: no need to wait for silence. */
  async #probeOwners(): Promise<void> {
    await Promise.all([...this.#claims.hosts].map((host) => this.#hosts.probe(host)))
  }

  /** Looks over all resources; calls that come meanwhile are answered by one more look. */
  #place(): void {
    if (this.#queued || this.#leaving) return
    this.#queued = true
    this.#placing = this.#placing.then(async () => {
      this.#queued = false
      if (!this.#options.bus.connected) return
      for (const resource of this.#options.resources) {
        if (this.#resting.has(resource)) continue
        try {
          await this.#placeKind(resource)
        } catch (error) {
          const { kind } = resource
          this.#seldom.warn({ err: error, kind }, 'ownership: trying again', kind)
          this.#rest(resource)
        }
      }
    })
  }

  /** What has failed is not tried again at once, whatever else happens meanwhile. */
  #rest(resource: ResourceKind): void {
    this.#resting.add(resource)
    this.#options.clock.after(RETRY_MS, () => {
      this.#resting.delete(resource)
      this.#place()
    })
  }

  async #placeKind(resource: ResourceKind): Promise<void> {
    const { hostId: me } = this.#options
    const homeOf = this.#homes.get(resource)!(this.#hosts.candidates(resource.kind))
    const lost = resource.names.filter(
      (name) => this.#held.has(name) && this.#claims.of(name)?.host !== me,
    )
    if (lost.length > 0) await this.#drop(resource, lost)

    const isDead = (host: string) => this.#hosts.isDead(host)
    const take: string[] = []
    const giveBack: string[] = []
    for (const name of resource.names) {
      const placement = placementOf({
        me,
        home: homeOf(name),
        claim: this.#claims.of(name),
        isHeld: this.#held.has(name),
        isDead,
      })
      if (placement === 'take') take.push(name)
      if (placement === 'give_back') giveBack.push(name)
    }
    if (giveBack.length > 0) await this.#giveBack(resource, giveBack)
    if (take.length > 0 && !this.#leaving) await this.#take(resource, take)
  }

  async #take(resource: ResourceKind, names: readonly string[]): Promise<void> {
    const { log, hostId } = this.#options
    const checkpoints = await this.#claims.checkpointsOf(names)
    const claims = await Promise.all(
      names.map((name) =>
        this.#claims.take(name, checkpoints).catch((error) => {
          this.#seldom.warn({ err: error, name }, 'ownership: claim not answered, trying again')
        }),
      ),
    )
    const claimed = claims.flatMap((claim) => claim ?? [])
    if (claimed.length === 0) return
    for (const { name } of claimed) this.#held.add(name)
    log.info({ hostId, kind: resource.kind, count: claimed.length }, 'ownership: taken')
    try {
      await resource.acquire(claimed)
      for (const { name } of claimed) this.#begun.add(name)
    } catch (error) {
      // A claim of mine that I do not hold is taken at the next look.
      await this.#drop(
        resource,
        claimed.map(({ name }) => name),
      )
      throw error
    }
  }

  async #giveBack(resource: ResourceKind, names: readonly string[]): Promise<void> {
    const { bus } = this.#options
    const held = names.filter((name) => this.#held.has(name))
    const checkpoints = resource.checkpoints?.()
    if (held.length > 0) await this.#drop(resource, held)
    // Nobody would hear it, each kind would wait for its answer, and silence tells the others as well.
    if (!bus.connected) return
    await Promise.all(
      names.map((name) =>
        this.#claims.giveBack(name, checkpoints?.get(name)).catch((error) => {
          this.#seldom.warn({ err: error, name }, 'ownership: not given back yet, trying again')
        }),
      ),
    )
  }

  async #drop(resource: ResourceKind, names: readonly string[]): Promise<void> {
    this.#options.log.info({ kind: resource.kind, count: names.length }, 'ownership: let go')
    for (const name of names) {
      this.#held.delete(name)
      this.#begun.delete(name)
    }
    await resource.release(names)
  }

  #writeCheckpoint(): void {
    const { resources, bus } = this.#options
    if (!bus.connected || this.#leaving) return
    const all = resources.flatMap((resource) => [...(resource.checkpoints?.() ?? [])])
    void this.#checkpoint.write(new Map(all))
  }
}
