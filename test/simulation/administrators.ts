import type { DurationMs } from '../../src/domain/time.ts'
import { ADDRESSES } from './chain/addresses.ts'
import type { Call, LaneRole } from './chain/calls.ts'
import type { SimChain } from './chain/chain.ts'
import type { ContractState } from './chain/contract-state.ts'
import type { Kernel } from './kernel.ts'

interface Options {
  readonly chain: SimChain
  readonly withinMs: DurationMs
}

/** Something that they do to the contracts, and undo again. */
interface Measure {
  readonly by: 'pauser' | 'admin'
  readonly begin: Call
  readonly end: Call
  isOn(state: ContractState): boolean
}

const ACT = 0.12
const MEASURES_MOST = 3
const LASTS_MS = [1_000, 15_000] as const
const LOOK_MS = 700

/** Pause the escrow, lower its cap, take a role from the key of a lane; in the end all is as it was. */
export class Administrators {
  readonly #kernel: Kernel
  readonly #chain: SimChain
  readonly #measures: readonly Measure[]
  /** Until when each is to be on. */
  readonly #plans = new Map<Measure, DurationMs>()

  constructor(kernel: Kernel, { chain, withinMs }: Options) {
    this.#kernel = kernel
    this.#chain = chain
    this.#measures = measuresOf(chain)
    const { random } = kernel
    if (!random.chance(ACT)) return
    for (let n = random.few(1, MEASURES_MOST); n > 0; n--) {
      const measure = random.pick(this.#measures)
      const lastsMs = random.between(...LASTS_MS)
      kernel.after(random.next() * withinMs, () => this.#begin(measure, lastsMs))
    }
  }

  /** The escrow takes no locks for so long. */
  pause(lastsMs: DurationMs): void {
    const measure = this.#measures.find(({ by }) => by === 'pauser')!
    this.#begin(measure, lastsMs)
  }

  #begin(measure: Measure, lastsMs: DurationMs): void {
    const isFirst = this.#plans.size === 0
    this.#plans.set(measure, this.#kernel.elapsed() + lastsMs)
    if (isFirst) this.#look()
  }

  /** A reorg may undo what they did, or put the end of it before its beginning. */
  #look(): void {
    this.#kernel.after(LOOK_MS, () => this.#look())
    const { head, pool } = this.#chain
    for (const [measure, until] of this.#plans) {
      const { by, begin, end } = measure
      const wanted = this.#kernel.elapsed() < until
      const isSent = pool.some(({ call }) => call === begin || call === end)
      if (isSent || measure.isOn(head.state) === wanted) continue
      this.#chain.act(ADDRESSES[by], wanted ? begin : end)
    }
  }
}

const measuresOf = ({ contract }: SimChain): readonly Measure[] => {
  const { settleCapMax: most } = contract
  return [
    {
      by: 'pauser',
      begin: { type: 'pause' },
      end: { type: 'unpause' },
      isOn: ({ paused }) => paused,
    },
    {
      by: 'admin',
      begin: { type: 'setSettleCap', creditsPerHour: most / 100n },
      end: { type: 'setSettleCap', creditsPerHour: most },
      isOn: ({ capPerHour }) => capPerHour < most,
    },
    revoked('LOCKER', contract.locker),
    revoked('SETTLER', contract.settler),
  ]
}

const revoked = (role: LaneRole, account: SimChain['contract']['locker']): Measure => ({
  by: 'admin',
  begin: { type: 'revokeRole', role, account },
  end: { type: 'grantRole', role, account },
  isOn: (state) => state.revoked.has(role),
})
