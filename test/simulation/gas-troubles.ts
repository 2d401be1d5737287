import type { DurationMs } from '../../src/domain/time.ts'
import { ADDRESSES, type Holder } from './chain/addresses.ts'
import type { SimChain } from './chain/chain.ts'
import type { Kernel } from './kernel.ts'

interface Options {
  readonly chain: SimChain
  readonly withinMs: DurationMs
}

const RUN_DRY = 0.08
const SPELLS_MOST = 3
const KEYS_THAT_PAY = ['lock', 'lock', 'settle', 'settle', 'keeper'] as const satisfies Holder[]
/** One transaction of a lane is asked three or four of these for, and pays half of that. */
const PURSE_UNIT = 10n ** 14n
const PURSE_UNITS_MOST = 12
/** Until somebody sends it coin: at once, or long after edges have ceased to take requests on. */
const DRY_MS = [500, 3_000, 8_000, 45_000] as const

const BECOMES_DEAR = 0.04
/** Of the usual: then two items are too many for what lanes allow for, or one is. */
const DEAR_TIMES = [1.9, 3, 3] as const
const DEAR_MS = [1_000, 12_000] as const

/** In some lives keys have too little of the chain's coin for a while, or items cost more gas than lanes allow for. */
export function planGasTroubles(kernel: Kernel, { chain, withinMs }: Options): void {
  const { random } = kernel
  if (random.chance(RUN_DRY)) {
    for (let n = random.few(1, SPELLS_MOST); n > 0; n--) {
      const holder = random.pick(KEYS_THAT_PAY)
      const units = random.between(0, PURSE_UNITS_MOST)
      const spanMs = random.pick(DRY_MS) * (0.5 + random.next())
      kernel.after(random.next() * withinMs, () => {
        chain.holdCoin(ADDRESSES[holder], BigInt(units) * PURSE_UNIT)
        kernel.after(spanMs, () => chain.holdCoin(ADDRESSES[holder], undefined))
      })
    }
  }
  if (!random.chance(BECOMES_DEAR)) return
  const times = random.pick(DEAR_TIMES)
  kernel.after(random.next() * withinMs, () => {
    chain.chargeGas(times)
    kernel.after(random.between(...DEAR_MS), () => chain.chargeGas(1))
  })
}
