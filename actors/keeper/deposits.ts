import { creditsToUnits } from '../../src/domain/credits.ts'
import type { Address } from '../../src/domain/ids.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { KeeperReader, KeeperTerms } from '../../src/ports/keeper.ts'
import { makeArrivals } from './arrivals.ts'
import type { Hands } from './hands.ts'

interface Options {
  readonly reader: KeeperReader
  readonly hands: Hands
  readonly clock: Clock
}

/**
 * Turns what arrives at deposit addresses into credits. Each address is looked at when it begins to be
 * watched, so at each start, and after each transfer to it: nothing of this needs to be remembered.
 */
export interface Deposits {
  watch(wallet: Address): void
  /** Hears of transfers in the blocks since the last call, up to `head`. */
  listen(head: number): Promise<void>
  /** @returns whether something was done, or is left to look at */
  sweep(terms: KeeperTerms): Promise<boolean>
  /** The chain went back: what was swept may lie there again. */
  lookAgain(): void
}

const LOOKS_MAX = 16
export function makeDeposits({ reader, hands, clock }: Options): Deposits {
  /** Wallets by the addresses where their transfers arrive. */
  const watched = new Map<Address, Address>()
  const addresses = new Set<Address>()
  const toLookAt = new Set<Address>()
  /** Wallets with enough at their addresses. */
  const full = new Set<Address>()
  let isChecked = false

  const look = async (wallet: Address, minimumUnits: bigint) => {
    const units = await reader.tokensOf(reader.depositAddress(wallet))
    toLookAt.delete(wallet)
    if (units >= minimumUnits) full.add(wallet)
    else full.delete(wallet)
  }

  const lookAtSome = async ({ minimumCredits }: KeeperTerms) => {
    const some = [...toLookAt].slice(0, LOOKS_MAX)
    await Promise.all(some.map((wallet) => look(wallet, creditsToUnits(minimumCredits))))
  }

  const arrivals = makeArrivals({
    reader,
    addresses,
    clock,
    arrived: (address) => toLookAt.add(watched.get(address)!),
  })

  return {
    watch: (wallet) => {
      const address = reader.depositAddress(wallet)
      if (watched.has(address)) return
      watched.set(address, wallet)
      addresses.add(address)
      toLookAt.add(wallet)
    },
    listen: arrivals.listen,
    sweep: async (terms) => {
      if (!isChecked) await reader.checkDepositAddresses()
      isChecked = true
      await lookAtSome(terms)
      for (const wallet of full) {
        const call = { type: 'sweep', wallet } as const
        if (!hands.isReady(call)) continue
        const outcome = await hands.perform(call)
        if (outcome !== 'not_done') full.delete(wallet)
        // Whoever took it, only the balance tells whether it is gone: a call is needless, too, where a
        // transaction of an earlier life of the keeper had its nonce.
        if (outcome === 'done' || outcome === 'needless') toLookAt.add(wallet)
        return outcome === 'done' || toLookAt.size > 0
      }
      return toLookAt.size > 0
    },
    lookAgain: () => {
      for (const wallet of watched.values()) toLookAt.add(wallet)
    },
  }
}
