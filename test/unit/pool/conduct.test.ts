import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Address } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import {
  blame,
  type Conduct,
  judge,
  judged,
  judgeLost,
  type Outcome,
  rests,
  unknownConduct,
} from '../../../src/pool/registry/conduct.ts'
import { W1, W2 } from '../../fakes/pool/registry-house.ts'

/** Who gets no jobs for what it did, and for how long. */
const Conducted = suite('pool: the conduct of workers')

const NOW = 1_800_000_000_000
const why = 'test'

/** @returns what a worker has shown that left jobs so, all at `NOW` */
function after(...ends: readonly (readonly [Outcome, Address?])[]): Conduct {
  const conduct = unknownConduct()
  for (const [outcome, wallet = W1] of ends) {
    judge(conduct, { outcome, wallet, why, at: toUnixMs(NOW) })
  }
  return conduct
}
/** For how long it gets no job of this wallet. */
function restMs(conduct: Conduct, wallet: Address = W2): number {
  let ms = 0
  while (rests(conduct, wallet, toUnixMs(NOW + ms))) ms += 250
  return ms
}

Conducted('a breach of the rules costs ten seconds at once, and twice as many each time', () => {
  assert.is(restMs(after(['broke'])), 10_000)
  assert.is(restMs(after(['broke'], ['broke'])), 20_000)
  const often = after(...Array.from({ length: 12 }, () => ['broke'] as const))
  assert.is(restMs(often), 600_000, 'ten minutes at the most')
  assert.is(often.outcomes.filter(Boolean).length, 0)
  const blamed = unknownConduct()
  blame(blamed, { why, at: toUnixMs(NOW) })
  assert.is(restMs(blamed), 10_000, 'outside of any job as well')
})

Conducted('a good answer makes up for failures, and not for a breach', () => {
  assert.is(restMs(after(['broke'], ['finished'])), 10_000)
  const failed = after(['failed', W1], ['failed', W2], ['failed', W1])
  assert.ok(restMs(failed) > 0)
  judge(failed, { outcome: 'finished', wallet: W1, why: '', at: toUnixMs(NOW) })
  assert.is(restMs(failed), 0)
  assert.not(failed.onProbation)
  judge(failed, { outcome: 'failed', wallet: W2, why, at: toUnixMs(NOW) })
  assert.is(restMs(failed), 0, 'the next failure is a first one')
})

Conducted('who failed two callers has one job at a time until it finishes one', () => {
  assert.not(after(['failed', W1], ['failed', W1]).onProbation)
  assert.ok(after(['failed', W1], ['failed', W2]).onProbation)
  assert.ok(after(['broke']).onProbation)
})

Conducted('what fails for one caller only rests for that caller only', () => {
  assert.is(restMs(after(['failed', W1]), W1), 0)
  const twice = after(['failed', W1], ['failed', W1])
  assert.equal([restMs(twice, W1), restMs(twice, W2)], [250, 0])
  assert.is(restMs(after(['failed', W1], ['failed', W1], ['failed', W1]), W1), 500)
  assert.is(restMs(after(['failed', W1], ['failed', W2]), W1), 250, 'of two callers, for all')
})

Conducted('offers left unanswered cost more than those refused', () => {
  assert.is(restMs(after(['silent'])), 2_000)
  assert.is(restMs(after(['busy'])), 250)
  assert.is(restMs(after(['declined'], ['neutral'])), 0)
})

Conducted('jobs that are lost together are one failure, and the first costs no rest', () => {
  const conduct = unknownConduct()
  judgeLost(conduct, { wallets: [W1, W2], why, at: toUnixMs(NOW) })
  assert.equal([restMs(conduct, W1), restMs(conduct, W2)], [0, 0])
  assert.equal(conduct.outcomes, [false, false], 'but both count in its share')
  judgeLost(conduct, { wallets: [W1, W2], why, at: toUnixMs(NOW) })
  assert.is(restMs(conduct, W2), 250)
  assert.is(conduct.failuresInRow, 2)
  judgeLost(conduct, { wallets: [], why, at: toUnixMs(NOW) })
  assert.is(conduct.failuresInRow, 2)
})

Conducted('a look at what an end will do changes nothing yet', () => {
  const before = after(['failed', W1])
  const then = judged(before, { outcome: 'broke', wallet: W1, why, at: toUnixMs(NOW) })
  assert.equal([restMs(then), restMs(before)], [10_000, 0])
  assert.equal([then.outcomes.length, before.outcomes.length], [2, 1])
})

Conducted.run()
