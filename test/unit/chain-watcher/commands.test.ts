import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { commandsOf } from '../../../actors/chain-watcher/fact.ts'
import { NO_CREDITS, toCredits } from '../../../src/domain/credits.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { ChainFact } from '../../../src/ports/escrow.ts'
import { hashOf } from '../../fakes/chain/fake-chain.ts'
import { job, WALLET } from '../../fakes/chain/intents.ts'

/** What jobs are told of final facts. Final word moves even a job that counts as paid: the chain is right. */
const Told = suite('watcher: what jobs are told')

const at = toUnixMs(1_800_000_000_000)
const place = (block: number) => ({
  ...{ block, blockHash: hashOf(`block ${block}`), tx: hashOf('tx'), logIndex: 0 },
  ...{ jobId: job(1), wallet: WALLET },
})
const locked = (block: number): ChainFact => ({
  ...{ ...place(block), type: 'locked', credits: toCredits(10) },
})
const skipped = (block: number, reason: string): ChainFact => ({
  ...{ ...place(block), type: 'skipped', reason },
})
const settled = (block: number): ChainFact => ({
  ...{ ...place(block), type: 'settled', workerId: 1, outputHash: hashOf('text') },
  ...{ charged: toCredits(8), returned: toCredits(2) },
})
const told = (facts: readonly ChainFact[], locksToldTo = 100) =>
  commandsOf(facts, { at, locksToldTo }).map((command) => [
    command.type,
    'final' in command && command.final === true,
  ])

Told('of the end of a lock: with the last word', () => {
  assert.equal(told([settled(9)]), [['ConfirmSettlement', true]])
  const refunded: ChainFact = { ...place(9), type: 'refunded', credits: toCredits(10) }
  assert.equal(told([refunded]), [['ConfirmRefund', true]])
})
Told(
  'of a lock that the wallet cannot pay on this branch: with the last word, for either reason',
  () => {
    for (const reason of ['InsufficientCredits', 'SpendLimitReached']) {
      assert.equal(told([skipped(9, reason)]), [['RefuseLock', true]])
      assert.equal(
        told([skipped(9, reason), locked(10)]),
        [['ConfirmLock', false]],
        'it came later',
      )
    }
    for (const reason of ['JobIdUsed', 'NotLocked', 'BadSignature']) {
      assert.equal(told([skipped(9, reason)]), [], 'for the lane to explain')
    }
  },
)
Told('of locks no further than the chain may have gone back', () => {
  assert.equal(told([locked(9)], 9), [['ConfirmLock', false]])
  assert.equal(told([locked(10), skipped(10, 'InsufficientCredits')], 9), [])
})
Told('of a settlement that it is anew, as far as the chain may have gone back', () => {
  const tell = (locksToldTo: number) => commandsOf([settled(9)], { at, locksToldTo })
  assert.ok(tell(9).every((command) => 'anew' in command && command.anew))
  assert.ok(tell(8).every((command) => !('anew' in command)))
})
Told('of a dispute and of its verdict', () => {
  const about = { claimedHash: hashOf('other') }
  const disputed: ChainFact = { ...place(9), type: 'disputed', ...about }
  const end = { upheld: false, returned: NO_CREDITS }
  const resolved: ChainFact = { ...place(10), type: 'dispute_resolved', ...end }
  assert.equal(told([disputed, resolved]), [
    ['ConfirmDispute', false],
    ['ResolveDispute', false],
  ])
})

Told.run()
