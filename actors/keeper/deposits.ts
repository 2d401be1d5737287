import { creditsToUnits } from '../../src/domain/credits.ts'
import type { Address } from '../../src/domain/ids.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { KeeperReader, KeeperTerms } from '../../src/ports/keeper.ts'
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
/**
 * A node that lags tells of no transfer in blocks that it lacks, and of no tokens that came in them: so each
 * block is heard of once more, so much later, and where tokens came to is looked at once more.
 */
const SECOND_TIME_MS = 20_000

export function makeDeposits({ reader, hands, clock }: Options): Deposits {
  /** Wallets by the addresses where their transfers arrive. */
  const watched = new Map<Address, Address>()
  const addresses = new Set<Address>()
  const toLookAt = new Set<Address>()
  /** Wallets with enough at their addresses. */
  const full = new Set<Address>()
  let heardUpTo: number | undefined
  let heardTwiceUpTo: number | undefined
  let secondTime: { readonly upTo: number; readonly at: number } | undefined
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

  const hear = async (after: number, upTo: number) => {
    if (after >= upTo) return
    for (const address of await reader.arrivals(after + 1, upTo, addresses)) {
      toLookAt.add(watched.get(address)!)
    }
  }

  const hearAgain = async (head: number) => {
    heardTwiceUpTo = Math.min(heardTwiceUpTo ?? head, head)
    const now = clock.monotonic()
    if (secondTime && secondTime.at <= now) {
      await hear(heardTwiceUpTo, secondTime.upTo)
      heardTwiceUpTo = secondTime.upTo
      secondTime = undefined
    }
    if (head > heardTwiceUpTo) secondTime ??= { upTo: head, at: now + SECOND_TIME_MS }
  }

  return {
    watch: (wallet) => {
      const address = reader.depositAddress(wallet)
      if (watched.has(address)) return
      watched.set(address, wallet)
      addresses.add(address)
      toLookAt.add(wallet)
    },
    listen: async (head) => {
      // Before its first look at an address nothing needs to be heard of it.
      await hear(Math.min(heardUpTo ?? head, head), head)
      heardUpTo = head
      await hearAgain(head)
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
        if (outcome === 'done') toLookAt.add(wallet)
        return outcome === 'done' || toLookAt.size > 0
      }
      return toLookAt.size > 0
    },
    lookAgain: () => {
      for (const wallet of watched.values()) toLookAt.add(wallet)
    },
  }
}
