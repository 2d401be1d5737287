import { balanceData, factId } from '../../src/messages/fact.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Facts } from '../../src/ports/facts.ts'
import type { Standing } from '../../src/ports/ledger.ts'
import type { Registry } from '../../src/ports/registry.ts'
import type { Settings } from '../../src/ports/settings.ts'
import { type CreditChange, changeOf } from './credit-change.ts'
import { judgeLow, makeLowFact } from './low-mark.ts'
import { makeLowMarks } from './low-marks.ts'

interface Options {
  readonly facts: Facts
  readonly settings: Settings
  /** Bucket LOW. */
  readonly lowMarks: Registry
  readonly clock: Clock
}

/**
 * Tells `credit.low` where a change has taken a wallet below its threshold: once, until it has been above
 * again. The mark is written before the fact and after it, so that a crash in between tells it with the same id.
 * @throws {MarkMoved} where the other watcher has written the mark meanwhile
 */
export function makeTellLow({ facts, settings, lowMarks, clock }: Options) {
  const marks = makeLowMarks(lowMarks)

  return async (change: CreditChange, standing: Standing): Promise<void> => {
    const { entry, tx, place } = change
    const { wallet } = entry
    const mark = await marks.read(wallet)
    const returns = mark?.returns ?? 0
    if (mark?.is === 'telling') {
      await facts.publish(mark.fact)
      await marks.write(wallet, { is: 'told', returns })
    }
    const { lowThreshold: threshold } = await settings.of(wallet)
    const by = changeOf(entry)
    const { owned, remaining, isNew } = standing
    const ownedBefore = isNew ? owned - by : undefined
    const reading = { owned, ownedBefore, isDecrease: by < 0n, threshold }
    const isMarked = mark !== undefined && mark.is !== 'above'
    switch (judgeLow(isMarked, reading)) {
      case 'tell': {
        // After a crash this may be the log that told it the last time.
        const id = factId('credit.low', { wallet, tx, place, returns })
        const data = { ...balanceData(remaining), threshold: Number(threshold) }
        const fact = makeLowFact({ id, wallet, data }, clock.now())
        await marks.write(wallet, { is: 'telling', fact, returns })
        await facts.publish(fact)
        return marks.write(wallet, { is: 'told', returns })
      }
      case 'mark_told':
        return marks.write(wallet, { is: 'told', returns })
      case 'mark_above':
        return marks.write(wallet, { is: 'above', returns: returns + 1 })
      case 'nothing':
        return
    }
  }
}
