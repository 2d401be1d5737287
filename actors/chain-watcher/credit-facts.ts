import type { Address } from '../../src/domain/ids.ts'
import { assert } from '../../src/domain/result.ts'
import { balanceData, type CreditTopup, factId } from '../../src/messages/fact.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Facts } from '../../src/ports/facts.ts'
import type { Ledger, Standing } from '../../src/ports/ledger.ts'
import type { Registry } from '../../src/ports/registry.ts'
import type { Settings } from '../../src/ports/settings.ts'
import { makeLines } from '../../src/runtime/lines.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { Seldom } from '../../src/telemetry/seldom.ts'
import type { CreditChange } from './credit-change.ts'
import { MarkMoved } from './low-marks.ts'
import { noted } from './reads.ts'
import { makeTellLow } from './tell-low.ts'

/** Tells `credit.topup` and `credit.low`, wallet by wallet in the chain's order. */
export interface CreditFacts {
  /** `told` is called once all that the change gives rise to is stored, unless `stop` comes first. */
  take(change: CreditChange, told: () => void): void
  stop(): void
}

export interface CreditFactsOptions {
  readonly ledger: Ledger
  readonly facts: Facts
  readonly settings: Settings
  /** Bucket LOW. */
  readonly lowMarks: Registry
  /** Reads a wallet from the chain into the ledger. */
  load(wallet: Address): Promise<void>
  readonly clock: Clock
  readonly log: Log
}

interface Work {
  readonly change: CreditChange
  readonly told: () => void
  standing: CreditChange['standing']
}

export function makeCreditFacts(options: CreditFactsOptions): CreditFacts {
  const { ledger, facts, settings, load, clock, log } = options
  // Each settlement has one, and each that waits is tried again every two seconds.
  const seldom = new Seldom(clock, log)
  const tellLow = makeTellLow({ facts, settings, lowMarks: options.lowMarks, clock })

  const standingOf = async (work: Work): Promise<Standing> => {
    if (work.standing !== 'unknown_wallet') return work.standing
    const { entry, seen } = work.change
    // A second time it changes nothing, but says how the wallet stands; unless the chain has gone back
    // behind it meanwhile, and the ledger has forgotten it.
    const apply = () => noted(ledger, seen, () => ledger.apply([entry]))
    let standings = await apply()
    if (standings === 'unknown_wallet') {
      await load(entry.wallet)
      standings = await apply()
    }
    if (standings === 'unknown_wallet') throw new Error('the ledger forgot the wallet at once')
    const [standing] = standings as readonly [Standing]
    work.standing = standing
    return standing
  }

  const lines = makeLines<Work>({
    clock,
    keyOf: ({ change }) => change.entry.wallet,
    attempt: async (work) => {
      const standing = await standingOf(work)
      // The mark first: who has heard of a top-up is told of what is low after it.
      await tellLow(work.change, standing)
      if (work.change.entry.kind === 'deposited') await facts.publish(topup(work.change, standing))
    },
    done: ({ told }) => told(),
    failed: (error, work) => {
      const { wallet } = work.change.entry
      // The other watcher may have gone further than this one: look anew at how the wallet stands.
      if (error instanceof MarkMoved) work.standing = 'unknown_wallet'
      seldom.warn(
        { err: error, wallet },
        'watcher: a fact of a wallet is not told yet, trying again',
      )
    },
  })

  return {
    take: (change, told) => lines.push({ change, told, standing: change.standing }),
    stop: lines.stop,
  }
}

function topup({ entry, tx, place }: CreditChange, { remaining }: Standing): CreditTopup {
  const { wallet, credits, block, at } = entry
  assert(at !== undefined, 'a deposit has a time')
  const data = {
    credits_added: Number(credits),
    ...balanceData(remaining),
    tx,
    block_number: block,
  }
  return {
    id: factId('credit.topup', { wallet, tx, place }),
    type: 'credit.topup',
    wallet,
    at,
    data,
  }
}
