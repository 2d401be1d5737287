import { actorsSchema } from '../../../src/config/schema.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { type Address, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import type { JobStatus, JobView } from '../../../src/messages/job-view.ts'
import type { Ledger } from '../../../src/ports/ledger.ts'
import type { Outputs } from '../../../src/ports/outputs.ts'
import { MemoryJobViews } from '../../fakes/edge/memory-job-views.ts'
import { WalletLedger } from '../../fakes/edge/wallet-ledger.ts'
import { MemoryCatalogue } from '../../fakes/memory-catalogue.ts'
import { MemoryOutputs } from '../../fakes/memory-outputs.ts'
import { Endpoints } from '../endpoints/endpoints.ts'
import { type Interested, judgeWebhooks } from '../endpoints/judge.ts'
import { makeWebhooks } from '../endpoints/webhooks.ts'
import { type HostPorts, newHostId, startHost } from '../host.ts'
import { Kernel } from '../kernel.ts'
import { connectHouse } from '../nats/connect.ts'
import { SimNats } from '../nats/server.ts'
import { startCrew } from '../pools/crew.ts'
import { type PoolNode, startPool } from '../pools/pool-node.ts'
import type { Node, Service } from '../world.ts'
import { Crowd } from './crowd.ts'
import { type EdgeNode, startEdge } from './edge-node.ts'
import { judge } from './judge.ts'
import { attemptsOf, jobViews, webhookRecord } from './truth.ts'
import { WalletKeys } from './wallet-keys.ts'
import { Witness } from './witness.ts'
import { WordOfChain } from './word-of-chain.ts'

const MODELS = ['Qwen/Qwen3-8B', 'Qwen/Qwen3-1.7B'] as const
const NETWORK = {
  chainId: 31_337,
  jobEscrow: toAddress(`0x${'33'.repeat(20)}`),
  workerStaking: toAddress(`0x${'55'.repeat(20)}`),
}
const SCHEDULE_SECONDS = [0, 2, 5, 10, 20]
const WINDOW_SECONDS = 120
const CREDITS = 100_000

const CONFIG = actorsSchema.parse({
  ACTOR_KINDS: 'job,webhook,account',
  LOCKER_PRIVATE_KEY: `0x${'1'.repeat(64)}`,
  SETTLER_PRIVATE_KEY: `0x${'2'.repeat(64)}`,
  WEBHOOK_SECRET_KEYS: 'ab'.repeat(32),
  WEBHOOK_RETRY_SECONDS: SCHEDULE_SECONDS.join(','),
  JOB_WINDOW_SECONDS: String(WINDOW_SECONDS),
})

export interface StageOptions {
  readonly callers: number
  readonly workers: number
  readonly withinMs: number
  /** Callers come and things go wrong until then; then all heals. */
  readonly healAtMs: number
}

/**
 * A life of callers, edges, pools, workers and webhooks with the real actors of jobs and webhooks
 * between them. Chain and lanes are one that keeps its word, and Redis forgets nothing.
 */
export class Stage {
  readonly kernel: Kernel
  readonly nats: SimNats
  readonly witness = new Witness()
  readonly endpoints: Endpoints
  readonly edges: EdgeNode[] = []
  readonly pools: PoolNode[] = []
  interested: readonly Interested[] = []
  #crowd: Crowd | undefined
  readonly #ledger = new WalletLedger()
  readonly #outputs = new MemoryOutputs()
  readonly #views = new MemoryJobViews()
  readonly #wallets = [1, 2, 3].map((n) => toAddress(`0x${String(n).padStart(40, '0')}`))

  readonly #keys: WalletKeys

  constructor(
    seed: number,
    private readonly options: StageOptions,
  ) {
    this.kernel = new Kernel(seed)
    this.nats = new SimNats(this.kernel)
    this.#keys = new WalletKeys(this.nats)
    this.endpoints = new Endpoints(this.kernel)
  }

  /** @returns what is not as it must be */
  play(): readonly string[] {
    const { kernel } = this
    const end = this.options.healAtMs + 600_000
    kernel.live(end, () => this.#begin())
    return kernel.failures.length > 0 ? kernel.failures : this.#judge()
  }

  #begin(): void {
    const { kernel, options } = this
    for (const wallet of this.#wallets) {
      const credits = toCredits(CREDITS)
      const account = { available: credits, locked: toCredits(0), lastTopupAt: null, block: 1 }
      void this.#ledger.load(wallet, account)
    }
    this.#keys.letIn(this.#wallets)
    const chain = kernel.node('chain-word', { sound: true })
    this.#start(chain, async () => {
      new WordOfChain(kernel, chain, (await connectHouse(this.nats, chain)).bus)
    })
    for (let n = 1; n <= 2; n++) this.#keep(`host-${n}`, (node) => this.#startHost(node))
    for (let n = 1; n <= 2; n++) this.#keep(`edge-${n}`, (node) => this.#startEdge(node))
    for (let n = 1; n <= 2; n++) this.#keep(`pool-${n}`, (node) => this.#startPool(node))
    startCrew(kernel, {
      count: options.workers,
      isTried: false,
      models: MODELS,
      pools: () => living(this.pools),
      signed: (jobId, text) => this.witness.noteSigned(jobId, text),
    })
    const owner = kernel.node('owner', { sound: true })
    this.#start(owner, async () => {
      const { bus } = await connectHouse(this.nats, owner)
      const { endpoints } = this
      this.interested = await makeWebhooks(kernel, { node: owner, bus, endpoints }, this.#wallets)
      kernel.after(2_000, () => this.#openDoors())
    })
    kernel.after(options.healAtMs, () => {
      kernel.faults.heal()
      this.#endAtRest()
    })
  }

  #endAtRest(): void {
    if (this.#rests()) this.kernel.stop()
    else this.kernel.after(LOOK_MS, () => this.#endAtRest())
  }

  #rests(): boolean {
    if (this.#crowd?.isDone !== true || this.nats.stream('HOOK').messages.size > 0) return false
    return [...jobViews(this.nats).values()].every(isOver)
  }

  #openDoors(): void {
    this.kernel.faults.begin()
    const { callers: count, withinMs } = this.options
    this.#crowd = new Crowd(this.kernel, {
      ...{ count, withinMs, models: MODELS, witness: this.witness },
      wallets: this.#wallets,
      keys: this.#keys,
      edges: () => living(this.edges),
    })
    this.#crowd.start()
  }

  /** Starts a process, and again a while after it died. */
  #keep(name: string, begin: (node: Node) => Promise<void>): void {
    const { kernel } = this
    const node = kernel.node(name)
    node.onDeath(() =>
      kernel.after(kernel.random.between(100, 5_000), () => this.#keep(name, begin)),
    )
    this.#start(node, () => begin(node))
  }

  #start(node: Node, begin: () => Promise<void>): void {
    node.run(() => {
      begin().catch((error: unknown) => {
        if (!node.alive) return
        this.kernel.history.add(node.name, `cannot start: ${error}`)
        node.kill()
      })
    })
  }

  async #startHost(node: Node): Promise<void> {
    const reader = { account: async () => fail('accounts are known'), onBlock: () => {} }
    const unused = {} as unknown
    const ports = {
      ...this.#redis(node),
      setAsides: { overdue: async () => [] },
      vouchers: { offered: false },
      escrowReader: reader,
      escrowWriter: unused,
      modelReader: unused,
      webhookSender: this.endpoints.sender(node),
      webhookTargets: this.endpoints.targets(),
    } as unknown as HostPorts
    const { jobEscrow } = NETWORK
    const place = { config: CONFIG, nats: this.nats, jobEscrow, deployBlock: 0, catalogueKey: 'c' }
    await startHost(node, ports, { ...place, hostId: newHostId(node) })
  }

  async #startEdge(node: Node): Promise<void> {
    const { bus, ...nats } = await connectHouse(this.nats, node)
    const keys = await nats.registry('KEYS')
    const ports = { ...this.#redis(node), bus, keys, catalogue: new MemoryCatalogue() }
    const settings = {
      escrowAddress: NETWORK.jobEscrow,
      jobWindowMs: WINDOW_SECONDS * 1_000,
      lockWaitMaxMs: 10_000,
    }
    this.edges.push(startEdge(node, ports, settings, (what) => this.kernel.fail(what)))
  }

  async #startPool(node: Node): Promise<void> {
    const nats = await connectHouse(this.nats, node)
    const workerId = async (signer: Address) => Number(BigInt(signer) & 0xffffn)
    const head = { number: 1, hash: toHex32(`0x${'0'.repeat(64)}`) }
    const ports = {
      bus: nats.bus,
      catalogue: new MemoryCatalogue(),
      outputs: this.#redis(node).outputs,
      strikes: await nats.registry('STRIKES'),
      admitted: undefined,
      marks: await nats.registry('WORKERS'),
      facts: await nats.facts(),
      reader: {
        workerId,
        registrationError: async () => undefined,
        head: async () => ({ ...head, parentHash: head.hash }),
        deactivated: async () => [],
      },
    }
    this.pools.push(startPool(node, ports, NETWORK))
  }

  #redis(node: Node): { ledger: Ledger; outputs: Outputs; jobViews: MemoryJobViews } {
    return {
      ledger: overNetwork(node, 'redis', this.#ledger),
      outputs: overNetwork(node, 'redis', this.#outputs),
      jobViews: overNetwork(node, 'redis', this.#views),
    }
  }

  #judge(): readonly string[] {
    const views = jobViews(this.nats)
    const jobs = [...views.values()]
    const unended = jobs.filter((view) => !isOver(view))
    return [
      ...(this.#crowd?.isDone ? [] : ['callers still wait']),
      ...unended.map(({ id, status }) => `${id} rests as ${status}`),
      ...judge(this.witness, {
        view: (jobId) => views.get(jobId),
        memoryWasLost: false,
        wasUndone: () => false,
        disputeWindowMs: CONFIG.DISPUTE_WINDOW_SECONDS * 1_000,
        keyMs: WINDOW_SECONDS * 1_000,
        clocksApartMs: this.kernel.clocksApartMs,
      }),
      ...judgeWebhooks(this.interested, {
        jobs,
        attempts: attemptsOf(this.nats),
        record: (wallet, webhookId) => webhookRecord(this.nats, wallet, webhookId),
        schedule: SCHEDULE_SECONDS.map((seconds) => seconds * 1_000),
        mayBeToldAnew: false,
        clocksApartMs: this.kernel.clocksApartMs,
        wasUndone: () => false,
      }),
    ]
  }
}

const LOOK_MS = 3_000
const ENDS: ReadonlySet<JobStatus> = new Set(['settled', 'disputed', 'failed', 'refunded'])

/** Nothing is to come of it, and nothing to be told. */
const isOver = ({ status, escrowTx, block, disputeTx }: JobView): boolean =>
  ENDS.has(status) &&
  (escrowTx === null || block !== null) &&
  (status !== 'disputed' || disputeTx !== null)

const living = <T extends { readonly node: Node }>(all: readonly T[]): T[] =>
  all.filter(({ node }) => node.alive)

function fail(what: string): never {
  throw new Error(what)
}

/** A store in the memory of this test, reached as a server is. */
function overNetwork<T extends object>(node: Node, service: Service, store: T): T {
  return new Proxy(store, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as unknown
      if (typeof method !== 'function') return method
      return (...args: unknown[]) =>
        node.call(
          service,
          () => method.apply(target, args) as unknown,
          () => new Error(`${service}: ${String(name)} is not answered`),
        )
    },
  })
}
