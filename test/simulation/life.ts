import { type Address, toAddress } from '../../src/domain/ids.ts'
import { LAUNCH_LINEUP } from '../../src/domain/models.ts'
import type { JobView } from '../../src/messages/job-view.ts'
import { type Absence, beginAbsence, livedMs, planAbsence } from './absences.ts'
import { Administrators } from './administrators.ts'
import { planAims } from './aims.ts'
import { Auditor } from './auditor/auditor.ts'
import { readPages } from './auditor/ledger-page.ts'
import { Crowd } from './callers/crowd.ts'
import { judge } from './callers/judge.ts'
import { Readers } from './callers/readers.ts'
import { attemptsOf, webhookRecord } from './callers/truth.ts'
import { WalletKeys } from './callers/wallet-keys.ts'
import { Witness } from './callers/witness.ts'
import { CONTRACTS } from './chain/addresses.ts'
import { depositsOf } from './chain/deposits.ts'
import { Contesters } from './contesters.ts'
import { planDisasters } from './disasters.ts'
import { type Interested, judgeWebhooks, stillDue } from './endpoints/judge.ts'
import { makeWebhooks } from './endpoints/webhooks.ts'
import { planGasTroubles } from './gas-troubles.ts'
import type { LifeHistory } from './history.ts'
import { HOST_CONFIG } from './host-config.ts'
import { House } from './house.ts'
import { planIllTimed } from './ill-timed.ts'
import { followJournal, jobsOf, lastWriter } from './journal-end.ts'
import { Kernel } from './kernel.ts'
import { planKeyChanges } from './key-changes.ts'
import { connectHouse } from './nats/connect.ts'
import { Outsiders } from './outsiders.ts'
import { Payers } from './payers.ts'
import { startCrew } from './pools/crew.ts'
import { Processes } from './processes.ts'
import { planRareTroubles } from './rare-troubles.ts'
import type { ScriptEngine } from './redis/lua.ts'
import { planShortages } from './shortages.ts'
import { planSpendLimits } from './spend-limits.ts'
import { textOf } from './text-of.ts'
import { Withdrawers } from './withdrawers.ts'
import type { Node } from './world.ts'

/** Made once for all lives of a process. */
export interface LifeNeeds {
  readonly scripts: ScriptEngine
  /** Breaks something before the life begins: to show that it is noticed. */
  readonly mutate?: (house: House, world: Kernel) => void
}

export interface LifeEnd {
  readonly seed: number
  /** Empty: everything was as it must be. */
  readonly failures: readonly string[]
  readonly history: LifeHistory
  readonly events: number
  readonly jobs: number
  /** Simulated. */
  readonly seconds: number
}

const WARM_UP_MS = 800
const CHAOS_MS = [1_000, 12_000] as const
/** So long after its healing all has come to rest, or something never will. */
const HEAL_MS_MAX = 420_000
const LIFE_MS_MAX = 1_300_000
const MARGIN_MS = 1_000
/** A request's key is remembered for so long beyond the window of its job. */
const KEY_MARGIN_MS = 30_000
/** By the streams of facts and deliveries. */
const IDS_KNOWN_MS = 600_000
const LOOK_MS = 250
/** At rest means: still so after as many looks more. */
const REST_LOOKS = 2
/** In some lives things go wrong while the processes start, too. */
const TROUBLED_STARTS = 0.3
const MODELS = LAUNCH_LINEUP.map(({ id }) => id)

/** One life of the whole system. Must be called from a task of its own, not from within a promise. */
export function live(seed: number, { scripts, mutate }: LifeNeeds): LifeEnd {
  const kernel = new Kernel(seed)
  const house = new House(kernel, scripts)
  mutate?.(house, kernel)
  const life = new Life(kernel, house)
  kernel.live(
    LIFE_MS_MAX,
    () => life.begin(),
    () => life.look(),
  )
  life.end()
  const { failures, history, events } = kernel
  return { seed, failures, history, events, jobs: life.jobCount, seconds: kernel.elapsed() / 1_000 }
}

class Life {
  readonly #kernel: Kernel
  readonly #house: House
  readonly #processes: Processes
  readonly #witness = new Witness()
  readonly #auditor: Auditor
  readonly #wallets: readonly Address[]
  readonly #chaosMs: number
  readonly #absence: Absence
  readonly #keys: WalletKeys
  readonly #readers: Readers
  #memoryWasLost = false
  #webhooks: readonly Interested[] = []
  /** The last block of which they are told nothing. */
  #webhooksFrom = 0
  #crowd: Crowd | undefined
  #outsiders: Outsiders | undefined
  #payers: Payers | undefined
  #withdrawers: Withdrawers | undefined
  #healedAt = 0
  #restLooks = 0

  constructor(kernel: Kernel, house: House) {
    const { random } = kernel
    this.#kernel = kernel
    this.#house = house
    this.#processes = new Processes(kernel)
    this.#auditor = new Auditor(kernel, {
      chain: house.settlement.chain,
      redis: house.redis,
      jobWindowMs: house.jobWindowMs,
      isEager: house.isEager,
    })
    this.#chaosMs = random.few(...CHAOS_MS)
    this.#absence = planAbsence(random)
    this.#wallets = Array.from({ length: random.few(1, 3) }, (_, i) =>
      toAddress(`0x${(i + 1).toString(16).padStart(2, '0').repeat(20)}`),
    )
    this.#keys = new WalletKeys(house.nats)
    this.#readers = new Readers(kernel, {
      ...{ wallets: this.#wallets, keys: this.#keys, escrowAddress: CONTRACTS.jobEscrow },
      edges: () => house.edges,
      jobs: () => jobsOf(house.nats),
      account: (wallet) => this.#accountOf(wallet),
    })
    followJournal(house.nats)
  }

  get jobCount(): number {
    return this.#witness.jobs.size
  }

  begin(): void {
    const { random, faults } = this.#kernel
    const house = this.#house
    if (random.chance(TROUBLED_STARTS)) faults.begin()
    this.#fund()
    // Of a long life each process costs something all its time.
    const most = (usual: number) => (livedMs(this.#absence) > 0 ? 1 : usual)
    const hosts = random.few(1, most(3))
    for (let n = hosts; n > 0; n--) this.#processes.keep(`host-${n}`, house.startHost)
    for (let n = random.few(1, most(2)); n > 0; n--) {
      this.#processes.keep(`pool-${n}`, house.startPool)
      this.#processes.keep(`edge-${n}`, house.startEdge)
    }
    startCrew(this.#kernel, {
      count: random.few(1, most(3)),
      models: MODELS,
      isTried: house.areWorkersTried,
      pools: () => house.pools,
      signed: (jobId, text) => this.#witness.noteSigned(jobId, text),
    })
    this.#kernel.after(WARM_UP_MS, () => this.#makeWebhooks())
  }

  /** After each event. */
  look(): void {
    this.#auditor.look()
  }

  /** What anybody was told, and what anything rests in, is held against what is so. */
  end(): void {
    if (this.#kernel.failures.length > 0) return
    if (this.#restLooks <= REST_LOOKS) this.#kernel.fail('it ended before it came to rest')
    const { nats, isContested } = this.#house
    const { chain, callOf } = this.#house.settlement
    const jobs = jobsOf(nats)
    const wasUndone = (view: JobView) => this.#auditor.wasUndone(view)
    const awayMs = this.#absence.of === 'nobody' ? 0 : this.#absence.spanMs
    const told = judge(this.#witness, {
      contractMayRefuse: isContested || awayMs > chain.contract.disputeSeconds * 1_000,
      view: (jobId) => jobs.find(({ id }) => id === jobId),
      memoryWasLost: this.#memoryWasLost,
      wasUndone,
      disputeWindowMs: HOST_CONFIG.DISPUTE_WINDOW_SECONDS * 1_000,
      keyMs: this.#house.jobWindowMs + KEY_MARGIN_MS,
      clocksApartMs: this.#kernel.clocksApartMs,
      callOf,
      depositedBy: (wallet) => this.#auditor.depositedBy(wallet),
    })
    const delivered = judgeWebhooks(this.#webhooks, {
      jobs,
      attempts: attemptsOf(nats),
      record: (wallet, webhookId) => webhookRecord(nats, wallet, webhookId),
      schedule: HOST_CONFIG.WEBHOOK_RETRY_SECONDS.map((seconds) => seconds * 1_000),
      clocksApartMs: this.#kernel.clocksApartMs,
      mayBeToldAnew: awayMs > IDS_KNOWN_MS,
      wasUndone,
      callOf,
      ...this.#topups,
    })
    const audited = this.#auditor.judge(jobs)
    const isSure = (wallet: Address) => this.#auditor.isSure(wallet)
    const withdrawn = this.#withdrawers?.judge(isSure) ?? []
    for (const flaw of [...audited, ...told, ...delivered, ...withdrawn]) this.#kernel.fail(flaw)
  }

  #fund(): void {
    const { chain } = this.#house.settlement
    const { random } = this.#kernel
    for (const wallet of this.#wallets) {
      const credits = BigInt(random.pick([100, 100, 300, 2_000]))
      chain.act(wallet, { type: 'mint', to: wallet, units: credits * 10_000n })
      chain.act(wallet, { type: 'deposit', wallet, credits })
    }
    this.#keys.letIn(this.#wallets)
    chain.mine()
    chain.start()
  }

  /** Callers come once the webhooks are made that are to hear of their jobs. */
  #makeWebhooks(): void {
    const kernel = this.#kernel
    const { nats, endpoints } = this.#house
    const node = kernel.node('owner', { sound: true })
    const make = async () => {
      const { bus } = await connectHouse(nats, node)
      this.#webhooks = await makeWebhooks(kernel, { node, bus, endpoints }, this.#wallets)
      // Hosts have heard of them by then.
      kernel.after(WARM_UP_MS, () => this.#beginChaos())
    }
    node.run(() => {
      make().catch((error) => kernel.fail(`no webhooks: ${textOf(error)}`))
    })
  }

  #beginChaos(): void {
    const kernel = this.#kernel
    this.#webhooksFrom = this.#house.settlement.chain.head.number
    kernel.history.add('world', 'callers come, and things go wrong')
    kernel.faults.begin()
    this.#crowd = new Crowd(kernel, {
      wallets: this.#wallets,
      models: MODELS,
      witness: this.#witness,
      keys: this.#keys,
      count: kernel.random.few(1, 6),
      withinMs: this.#chaosMs,
      edges: () => this.#house.edges,
    })
    this.#crowd.start()
    const forget = () => this.#forget()
    const { nats, settlement } = this.#house
    const withinMs = this.#chaosMs
    const around = { nats, chain: settlement.chain, wallets: this.#wallets, withinMs }
    this.#outsiders = new Outsiders(kernel, { ...around, takeBack: this.#house.isHasty })
    const administrators = new Administrators(kernel, around)
    planGasTroubles(kernel, around)
    planSpendLimits(kernel, around)
    planKeyChanges(kernel, { ...around, keys: this.#keys })
    if (this.#house.isContested) new Contesters(kernel, settlement.chain)
    const { chain } = settlement
    planRareTroubles(kernel, { nats, chain, processes: this.#processes, withinMs })
    planShortages(kernel, { nats, redis: this.#house.redis, withinMs })
    const aimedAt = { house: this.#house, witness: this.#witness, withinMs }
    planAims(kernel, this.#processes, aimedAt)
    const pause = (lastsMs: number) => administrators.pause(lastsMs)
    planIllTimed(kernel, this.#processes, { house: this.#house, withinMs, forget, pause })
    this.#payers = new Payers(kernel, around)
    this.#withdrawers = new Withdrawers(kernel, around)
    const journal = this.#house.nats.stream('JOB')
    const nextAppend = (call: (host: Node | undefined) => void) =>
      journal.onNextStored(() => call(this.#house.hostOf(lastWriter(journal))))
    planDisasters(kernel, this.#processes, { withinMs, forget, nextAppend })
    const absentAfter = kernel.random.next() * this.#chaosMs
    const away = { processes: this.#processes, chain: settlement.chain, nats }
    kernel.after(absentAfter, () => beginAbsence(kernel, this.#absence, away))
    // What is away has come back by then.
    const lived = livedMs(this.#absence)
    const healAfter = lived > 0 ? absentAfter + lived + MARGIN_MS : this.#chaosMs
    kernel.after(Math.max(healAfter, this.#chaosMs), () => this.#heal())
  }

  #forget(): void {
    const { random } = this.#kernel
    const { redis } = this.#house
    this.#memoryWasLost = true
    this.#auditor.memoryWasLost = true
    if (random.chance(0.5)) redis.flushAll()
    else redis.restart(random.pick([0, 10, 1_000]))
  }

  /** Who stands still goes on when it was to: others have taken its place meanwhile. */
  #heal(): void {
    const kernel = this.#kernel
    kernel.history.add('world', 'heals')
    kernel.faults.heal()
    this.#healedAt = kernel.elapsed()
    this.#look()
  }

  #look(): void {
    const kernel = this.#kernel
    const isAtRest = this.#unrest().next().done
    this.#restLooks = isAtRest ? this.#restLooks + 1 : 0
    if (this.#restLooks > REST_LOOKS) kernel.stop()
    else if (kernel.elapsed() > this.#healedAt + HEAL_MS_MAX) {
      kernel.fail(`does not come to rest: ${[...this.#unrest()].join('; ')}`)
    } else kernel.after(LOOK_MS, () => this.#look())
  }

  /** What is still to happen: what is soonest seen comes first. */
  *#unrest(): Generator<string, void> {
    const { nats } = this.#house
    if (!this.#processes.areUp) yield 'a process is not up'
    if (!this.#crowd?.isDone) yield 'callers wait'
    const owed = nats.stream('HOOK').messages.size
    if (owed > 0) yield `${owed} deliveries are owed`
    const decides = this.#outsiders?.decides || this.#house.isContested
    const isOpen = (status: string) => decides && status === 'disputed'
    const jobs = jobsOf(nats)
    for (const { id, rests, status } of jobs) {
      if (!rests || isOpen(status)) yield `${id} is ${status}`
    }
    yield* this.#auditor.unrest()
    yield* this.#payers?.unrest() ?? []
    yield* this.#withdrawers?.unrest() ?? []
    yield* this.#auditor.lost(jobs)
    // An owner died before it had given them back, or an edge before its job began: whoever sweeps finds
    // them by their age.
    yield* this.#auditor.held()
    const record = (wallet: Address, id: string) => webhookRecord(nats, wallet, id)
    yield* stillDue(this.#webhooks, { jobs, record, ...this.#topups })
    yield* this.#readers.unrest()
  }

  /** What webhooks have to tell of deposits. */
  get #topups() {
    const { blocks, orphans } = this.#house.settlement.chain
    const deposits = depositsOf(blocks, this.#webhooksFrom)
    return { deposits, hasGoneBack: orphans.length > 0 }
  }

  #accountOf(wallet: Address) {
    const { settlement, redis } = this.#house
    const { available, lastDepositAt } = settlement.chain.head.state.account(wallet)
    const reserved = readPages(redis).find((page) => page.wallet === wallet)?.reserved ?? 0n
    return { credits: available - reserved, lastDepositAt }
  }
}
