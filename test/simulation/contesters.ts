import { outputHash } from '../../src/domain/hash.ts'
import { type JobId, toAddress } from '../../src/domain/ids.ts'
import type { DurationMs } from '../../src/domain/time.ts'
import type { Call } from './chain/calls.ts'
import type { SimChain } from './chain/chain.ts'
import type { Job } from './chain/contract-state.ts'
import type { Kernel } from './kernel.ts'

const LOOK_MS = 500
const CONTEST = 0.5
/** Around the end of the contract's window: some come in time, some do not. */
const EDGE_MS = [-3_000, 2_000] as const
const STRANGER = toAddress(`0x${'4c'.repeat(20)}`)
const STRANGER_ENDS = 0.6

/** Wallets that go to the contract about their answers, without the service; and who ends disputes that nobody decided in time. */
export class Contesters {
  readonly #kernel: Kernel
  readonly #chain: SimChain
  readonly #seen = new Set<JobId>()
  readonly #strangerEnds: boolean

  constructor(kernel: Kernel, chain: SimChain) {
    this.#kernel = kernel
    this.#chain = chain
    this.#strangerEnds = kernel.random.chance(STRANGER_ENDS)
    this.#look()
  }

  #look(): void {
    this.#kernel.after(LOOK_MS, () => this.#look())
    const { head, contract } = this.#chain
    const now = this.#kernel.now() / 1_000
    for (const [jobId, job] of head.state.jobs) {
      if (job.status === 'Settled') this.#mayContest(jobId, job)
      const isOver = job.status === 'Disputed' && now > job.since + contract.arbitrationSeconds
      if (isOver && this.#strangerEnds) this.#endByStranger(jobId)
    }
  }

  #mayContest(jobId: JobId, { wallet, since }: Job): void {
    if (this.#seen.has(jobId)) return
    this.#seen.add(jobId)
    const { random } = this.#kernel
    if (!random.chance(CONTEST)) return
    const call = { type: 'openDispute', jobId, claimedHash: outputHash(`${jobId}, not`) } as const
    this.#kernel.after(this.#delayMs(since), () => {
      this.#chain.act(wallet, call)
      // Impatient ones send a second, which finds the first.
      if (random.chance(0.1)) this.#chain.act(wallet, call)
    })
  }

  #delayMs(since: number): DurationMs {
    const { random } = this.#kernel
    if (random.chance(0.5)) return random.pick([0, 500, 3_000])
    const endsAt = (since + this.#chain.contract.disputeSeconds) * 1_000
    return endsAt - this.#kernel.now() + random.between(...EDGE_MS)
  }

  #endByStranger(jobId: JobId): void {
    const call: Call = { type: 'expireDispute', jobId }
    const isSent = this.#chain.pool.some(
      ({ call: other }) => other.type === call.type && other.jobId === jobId,
    )
    if (!isSent) this.#chain.act(STRANGER, call)
  }
}
