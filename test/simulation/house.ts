import type { ActorKind, ActorsConfig } from '../../src/config/schema.ts'
import { MemoryCatalogue } from '../fakes/memory-catalogue.ts'
import { type EdgeNode, startEdge } from './callers/edge-node.ts'
import { CONTRACTS } from './chain/addresses.ts'
import { makeSettlementChain } from './chain/connect.ts'
import { Endpoints } from './endpoints/endpoints.ts'
import { newHostId, startHost } from './host.ts'
import { HOST_CONFIG } from './host-config.ts'
import { connectHouse } from './nats/connect.ts'
import { SimNats } from './nats/server.ts'
import { type PoolNode, startPool } from './pools/pool-node.ts'
import type { Running } from './processes.ts'
import { connectSimRedis } from './redis/connect.ts'
import type { ScriptEngine } from './redis/lua.ts'
import { SimRedis } from './redis/server.ts'
import type { Node, World } from './world.ts'

/** In some lives jobs and their locks are short-lived, on a chain that goes back more often. */
const HASTY = 0.1
/** In some lives jobs go to workers before their lock is in a block. */
const EAGER = 0.15
/** In some a settlement is final some blocks later. */
const PATIENT = 0.1
const CONFIRMATIONS = [2, 4] as const
/** In some lives wallets go to the contract with their disputes, and its windows are short. */
const CONTESTED = 0.06
const SHORT_WINDOWS = { disputeSeconds: 15, arbitrationSeconds: 20 }
/** In some lives workers show what they can do before they are paid. */
const TRIED = 0.25
/** In some lives all hosts but the first run some kinds of actors only. */
const SPLIT = 0.25
const FIRST = 'host-1'
const USUAL = { jobWindowMs: 120_000, spans: {}, trouble: {} }
const IN_HASTE = { jobWindowMs: 8_000, spans: { expirySeconds: 10 }, trouble: { trouble: 3 } }
const LOCK_WAIT_MS_MAX = 20_000

/** The servers of one life, and how its processes are put together on them. */
export class House {
  readonly nats: SimNats
  readonly redis: SimRedis
  readonly settlement
  /** Locks outlive their time, and others than the service may take them back. */
  readonly isHasty: boolean
  /** Who was answered may pay nothing, where the lock is passed over in the end. */
  readonly isEager: boolean
  /** Disputes may come too late for the contract, and end soon. */
  readonly isContested: boolean
  /** By canary jobs. */
  readonly areWorkersTried: boolean
  readonly endpoints: Endpoints
  readonly #world: World
  readonly #config: ActorsConfig
  readonly #isSplit: boolean
  readonly #kinds = new Map<string, readonly ActorKind[]>()
  readonly #edges = new Map<string, EdgeNode>()
  readonly #pools = new Map<string, PoolNode>()
  readonly #hosts = new Map<string, Node>()

  constructor(world: World, scripts: ScriptEngine) {
    this.#world = world
    this.nats = new SimNats(world)
    this.redis = new SimRedis(world, scripts)
    this.isHasty = world.random.chance(HASTY)
    this.isEager = world.random.chance(EAGER)
    this.isContested = world.random.chance(CONTESTED)
    this.areWorkersTried = world.random.chance(TRIED)
    this.#config = {
      ...HOST_CONFIG,
      ESCROW_ROUTE_AT: this.isEager ? 'broadcast' : 'included',
      CHAIN_CONFIRMATIONS: world.random.chance(PATIENT)
        ? world.random.between(...CONFIRMATIONS)
        : 1,
    }
    this.#isSplit = world.random.chance(SPLIT)
    const { spans, trouble } = this.#terms
    const windows = this.isContested ? SHORT_WINDOWS : {}
    this.settlement = makeSettlementChain(world, trouble, { ...spans, ...windows })
    this.endpoints = new Endpoints(world)
  }

  /** Those that take requests now. */
  get edges(): readonly EdgeNode[] {
    return [...this.#edges.values()].filter(({ node }) => node.alive)
  }

  /** Those that can be dialled now. */
  get pools(): readonly PoolNode[] {
    return [...this.#pools.values()].filter(({ node }) => node.alive)
  }

  get jobWindowMs(): number {
    return this.#terms.jobWindowMs
  }

  get #terms() {
    return this.isHasty ? IN_HASTE : USUAL
  }

  hostOf(hostId: string): Node | undefined {
    return this.#hosts.get(hostId)
  }

  startHost = (node: Node): Promise<Running> => {
    const hostId = newHostId(node)
    this.#hosts.set(hostId, node)
    const chain = this.settlement.connect(node)
    const ports = {
      ...connectSimRedis(this.redis, node),
      vouchers: chain.vouchers,
      escrowReader: chain.reader,
      escrowWriter: chain.writer,
      // No life votes on a model: hosts of this one follow no catalogue.
      modelReader: { models: async () => [] },
      webhookSender: this.endpoints.sender(node),
      webhookTargets: this.endpoints.targets(),
      keeper: { reader: chain.keeperReader, writer: chain.keeperWriter },
    }
    const { jobEscrow, deployBlock } = CONTRACTS
    const config = { ...this.#config, ACTOR_KINDS: [...this.#kindsOf(node)] }
    const place = { config, nats: this.nats, catalogueKey: 'models' }
    return startHost(node, ports, { ...place, hostId, jobEscrow, deployBlock })
  }

  /** The same in all lives of a process. */
  #kindsOf({ name }: Node): readonly ActorKind[] {
    const { ACTOR_KINDS: all } = this.#config
    if (!this.#isSplit || name === FIRST) return all
    const { random } = this.#world
    const some = this.#kinds.get(name) ?? all.filter(() => random.chance(0.5))
    this.#kinds.set(name, some)
    return some.length > 0 ? some : all
  }

  startPool = async (node: Node): Promise<Running> => {
    const nats = await connectHouse(this.nats, node)
    const ports = {
      bus: nats.bus,
      catalogue: new MemoryCatalogue(),
      outputs: connectSimRedis(this.redis, node).outputs,
      strikes: await nats.registry('STRIKES'),
      admitted: this.areWorkersTried ? await nats.registry('ADMITTED') : undefined,
      marks: await nats.registry('WORKERS'),
      facts: await nats.facts(),
      reader: this.settlement.connect(node).reader,
    }
    const pool = startPool(node, ports, CONTRACTS)
    this.#pools.set(node.name, pool)
    return pool
  }

  startEdge = async (node: Node): Promise<Running> => {
    const { bus, ...nats } = await connectHouse(this.nats, node)
    const keys = await nats.registry('KEYS')
    const edge = startEdge(
      node,
      { bus, keys, catalogue: new MemoryCatalogue(), ...connectSimRedis(this.redis, node) },
      {
        escrowAddress: CONTRACTS.jobEscrow,
        jobWindowMs: this.#terms.jobWindowMs,
        lockWaitMaxMs: LOCK_WAIT_MS_MAX,
      },
      (what) => this.#world.fail(what),
    )
    this.#edges.set(node.name, edge)
    return edge
  }
}
