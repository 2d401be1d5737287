import { creditsToUnits } from '../../src/domain/credits.ts'
import type { Address } from '../../src/domain/ids.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { KeeperReader, KeeperTerms } from '../../src/ports/keeper.ts'
import { makeArrivals, SECOND_TIME_MS } from './arrivals.ts'
import type { Hands } from './hands.ts'

interface Options {
  readonly reader: KeeperReader
  readonly hands: Hands
  readonly clock: Clock
}

/**
 * Turns what arrives at deposit addresses into credits. Each address is looked at when it begins to be
 * watched, so at each start, and after each transfer to it: nothing of this needs to be remembered. What was
 * seen, or swept, may have been so at a node that lags, or in a block that is left: then nobody tells of it any
 * more. So it is looked at once more, some time later and once the blocks up to the first look count.
 */
export interface Deposits {
  watch(wallet: Address): void
  /** Hears of transfers in the blocks since the last call, up to `head`; `final` is the last that counts. */
  listen(head: number, final: number): Promise<void>
  /** @returns whether something was done, or is left to look at */
  sweep(terms: KeeperTerms): Promise<boolean>
  /** The chain went back: what was swept may lie there again. */
  lookAgain(): void
}

const LOOKS_MAX = 16

/** When an address is looked at once more: after that block counts, and at that time at the soonest. */
interface SecondLook {
  /** The head after the first look was asked for; undefined until it is told. */
  readonly after?: number
  readonly at: number
}

export function makeDeposits({ reader, hands, clock }: Options): Deposits {
  /** Wallets by the addresses where their transfers arrive. */
  const watched = new Map<Address, Address>()
  const addresses = new Set<Address>()
  const toLookAt = new Set<Address>()
  const toLookAtAgain = new Map<Address, SecondLook>()
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

  const lookTwice = (wallet: Address) => {
    toLookAt.add(wallet)
    toLookAtAgain.set(wallet, { at: clock.monotonic() + SECOND_TIME_MS })
  }

  const passTo = (head: number, final: number) => {
    const now = clock.monotonic()
    for (const [wallet, { after, at }] of toLookAtAgain) {
      if (after === undefined) toLookAtAgain.set(wallet, { after: head, at })
      else if (after <= final && at <= now) {
        toLookAtAgain.delete(wallet)
        toLookAt.add(wallet)
      }
    }
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
      lookTwice(wallet)
    },
    listen: (head, final) => {
      passTo(head, final)
      return arrivals.listen(head, final)
    },
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
        if (outcome === 'done' || outcome === 'needless') lookTwice(wallet)
        return outcome === 'done' || toLookAt.size > 0
      }
      return toLookAt.size > 0
    },
    lookAgain: () => {
      for (const wallet of watched.values()) lookTwice(wallet)
    },
  }
}
