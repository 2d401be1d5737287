import type { Address, JobId } from '../../src/domain/ids.ts'
import type { DurationMs } from '../../src/domain/time.ts'
import { ADDRESSES, type Holder } from './chain/addresses.ts'
import type { Call } from './chain/calls.ts'
import type { SimChain } from './chain/chain.ts'
import type { Kernel } from './kernel.ts'

interface Options {
  readonly chain: SimChain
  readonly wallets: readonly Address[]
  readonly withinMs: DurationMs
  /** Somebody takes back each lock at the first moment at which everybody may. */
  readonly takeBack: boolean
}

const OWNERS_ACT = 0.4
const ARBITER_ACTS = 0.6
const INTRUDERS_ACT = 0.1
const WORKERS_LEAVE = 0.1
const INTRUSIONS_MOST = 4
const INTRUDE_AGAIN_MS = 50
/** Of the service, and perhaps of another that was started with them by mistake. */
const SHARED_KEYS = ['lock', 'lock', 'settle', 'settle', 'keeper'] as const satisfies Holder[]
const LOOK_MS = 2_000
const TAKE_BACK_MS = [300, 2_000] as const
/** Arbitration takes longer than any reorg reaches back: what it decides about is there to stay. */
const FINAL_BLOCKS = 4

/** Who acts on the contracts past the service: owners of wallets, the arbiter, workers, others with its keys. */
export class Outsiders {
  readonly #kernel: Kernel
  readonly #options: Options
  readonly #arbiterActs: boolean
  readonly #verdicts = new Map<JobId, boolean>()

  constructor(kernel: Kernel, options: Options) {
    const { random } = kernel
    this.#kernel = kernel
    this.#options = options
    this.#arbiterActs = random.chance(ARBITER_ACTS)
    if (random.chance(OWNERS_ACT)) for (const wallet of options.wallets) this.#planThaw(wallet)
    if (this.#arbiterActs) this.#look()
    if (options.takeBack) this.#takeBack()
    if (random.chance(INTRUDERS_ACT)) this.#planIntrusions()
    if (random.chance(WORKERS_LEAVE)) this.#planLeaving()
  }

  /** Whether disputes are decided in this life. */
  get decides(): boolean {
    return this.#arbiterActs
  }

  /** The wallet takes credits out of the reach of jobs, whatever is reserved; some change their mind. */
  #planThaw(wallet: Address): void {
    const { random } = this.#kernel
    const { chain, withinMs } = this.#options
    if (random.chance(0.5)) return
    this.#kernel.after(random.next() * withinMs, () => {
      const { available } = chain.head.state.account(wallet)
      const credits = random.pick([1n, available / 2n, available])
      if (credits === 0n) return
      chain.act(wallet, { type: 'requestWithdrawal', credits })
      if (random.chance(0.5)) return
      const spanMs = random.between(1_000, 10_000)
      this.#kernel.after(spanMs, () => chain.act(wallet, { type: 'cancelWithdrawal' }))
    })
  }

  /** A worker leaves the network for good, whatever it has answered and is not paid for yet. */
  #planLeaving(): void {
    const { random } = this.#kernel
    const { chain, withinMs } = this.#options
    this.#kernel.after(random.next() * withinMs, () => {
      const { workers } = chain.head.state
      if (workers.size === 0) return
      const [workerId, { signer }] = random.pick([...workers])
      chain.act(signer, { type: 'deactivate', workerId })
    })
  }

  /** Somebody signs with a key of a lane or of the keeper, and takes its next nonce. */
  #planIntrusions(): void {
    const { random } = this.#kernel
    const { withinMs } = this.#options
    for (let n = random.few(1, INTRUSIONS_MOST); n > 0; n--) {
      const sender = ADDRESSES[random.pick(SHARED_KEYS)]
      const waits = random.chance(0.7)
      this.#kernel.after(random.next() * withinMs, () => this.#intrude(sender, waits))
    }
  }

  /** @param waits for a transaction that it takes the place of */
  #intrude(sender: Address, waits: boolean): void {
    const { chain } = this.#options
    if (this.#kernel.faults.healing) return
    if (waits && !chain.pool.some((each) => each.sender === sender)) {
      this.#kernel.after(INTRUDE_AGAIN_MS, () => this.#intrude(sender, true))
    } else chain.intrude(sender, { type: 'setSpendLimit', creditsPerDay: 0n })
  }

  /** Whoever was answered, and whoever is still to be paid, finds the lock gone. */
  #takeBack(): void {
    this.#kernel.after(this.#kernel.random.between(...TAKE_BACK_MS), () => this.#takeBack())
    const { chain } = this.#options
    const now = Math.floor(this.#kernel.now() / 1_000)
    for (const [jobId, { status, since, wallet }] of chain.head.state.jobs) {
      if (status !== 'Locked' || now < since + chain.contract.expirySeconds) continue
      const call = { type: 'refundExpired', jobId } as const
      if (!this.#isSent(call)) chain.act(wallet, call)
    }
  }

  #look(): void {
    this.#kernel.after(LOOK_MS, () => this.#look())
    const { chain } = this.#options
    const settledState = chain.block(chain.head.number - FINAL_BLOCKS)?.state
    for (const [jobId, { status }] of settledState?.jobs ?? []) {
      const isOpen = chain.head.state.jobs.get(jobId)?.status === 'Disputed'
      if (status !== 'Disputed' || !isOpen) continue
      if (!this.#isSent({ type: 'resolveDispute', jobId })) this.#decide(jobId)
    }
  }

  #isSent({ type, jobId }: { readonly type: Call['type']; readonly jobId: JobId }): boolean {
    return this.#options.chain.pool.some(
      ({ call }) => call.type === type && 'jobId' in call && call.jobId === jobId,
    )
  }

  #decide(jobId: JobId): void {
    const upheld = this.#verdicts.get(jobId) ?? this.#kernel.random.chance(0.5)
    this.#verdicts.set(jobId, upheld)
    this.#options.chain.act(ADDRESSES.arbiter, { type: 'resolveDispute', jobId, upheld })
  }
}
