import type { Address } from '../../src/domain/ids.ts'
import type { DurationMs } from '../../src/domain/time.ts'
import type { SimChain } from './chain/chain.ts'
import type { Kernel } from './kernel.ts'

interface Options {
  readonly chain: SimChain
  readonly wallets: readonly Address[]
  readonly withinMs: DurationMs
}

const SOME_LIMIT = 0.12
const CHANGES_MOST = 4
/** Credits above what the day has cost: room for no job, for one or two, or for all. 0 lifts the limit. */
const ROOM = ['lifted', 0n, 1n, 8n, 30n, 80n] as const

/** In some lives wallets limit what a day may cost them, and change their mind while jobs run. */
export function planSpendLimits(kernel: Kernel, { chain, wallets, withinMs }: Options): void {
  const { random } = kernel
  if (!random.chance(SOME_LIMIT)) return
  for (let n = random.few(1, CHANGES_MOST); n > 0; n--) {
    const [wallet, room] = [random.pick(wallets), random.pick(ROOM)]
    kernel.after(random.next() * withinMs, () => {
      const { spent } = chain.head.state.account(wallet)
      // A limit of 0 would be none.
      const creditsPerDay = room === 'lifted' ? 0n : max(spent + room, 1n)
      chain.act(wallet, { type: 'setSpendLimit', creditsPerDay })
    })
  }
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)
