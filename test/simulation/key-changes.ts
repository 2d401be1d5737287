import type { Address } from '../../src/domain/ids.ts'
import type { DurationMs } from '../../src/domain/time.ts'
import type { WalletKeys } from './callers/wallet-keys.ts'
import type { Kernel } from './kernel.ts'

interface Options {
  readonly keys: WalletKeys
  readonly wallets: readonly Address[]
  readonly withinMs: DurationMs
}

const KEYS_CHANGE = 0.15
const MOST = 4
const SUSPENDED_MS = [500, 8_000] as const

/** In some lives keys are revoked and made anew, or suspended for a while, while jobs of theirs run. */
export function planKeyChanges(kernel: Kernel, { keys, wallets, withinMs }: Options): void {
  const { random, history } = kernel
  if (!random.chance(KEYS_CHANGE)) return
  for (let n = random.few(1, MOST); n > 0; n--) {
    const wallet = random.pick(wallets)
    const isRevoked = random.chance(0.7)
    const lastsMs = random.between(...SUSPENDED_MS)
    kernel.after(random.next() * withinMs, () => {
      if (!keys.canBeWritten) return
      history.add('world', `the key of ${wallet} is ${isRevoked ? 'revoked' : 'suspended'}`)
      if (isRevoked) keys.change(wallet)
      else kernel.after(lastsMs, keys.suspend(wallet))
    })
  }
}
