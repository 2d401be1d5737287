import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeLocksBack } from '../../../actors/settlement/locks-back.ts'
import type { Sent } from '../../../actors/settlement/outbox.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import type { JobId } from '../../../src/domain/ids.ts'
import type { Batch, ChainFact, EscrowReader, EscrowWriter } from '../../../src/ports/escrow.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { hashOf } from '../../fakes/chain/fake-chain.ts'
import { job, lock, refund, settle, WALLET } from '../../fakes/chain/intents.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'

/** Before a stored batch is sent again: what it ends may be gone with the same blocks. */
const Back = suite('locks that come back')

const locked: ChainFact = {
  ...{ block: 5, blockHash: hashOf('block'), tx: hashOf('tx'), logIndex: 0 },
  ...{ type: 'locked', jobId: job(1), wallet: WALLET, credits: toCredits(10) },
}

function open() {
  const chain = { back: new Set<JobId>(), onTheWay: false, asked: 0, stored: 0 }
  const clock = new ManualClock()
  /** So many are stored from the next nonce on, each with the lock of the job of its number. */
  const storedAt = (nonce: number) =>
    nonce <= chain.stored ? { batch: { type: 'lock', items: [lock(job(nonce))] } } : undefined
  const read = async (nonce: number) => ({
    sent: (chain.onTheWay ? { batch: {} } : storedAt(nonce)) as Sent | undefined,
    sequence: 0,
  })
  const jobFacts = async (jobId: JobId) => {
    chain.asked++
    return chain.back.has(jobId) ? [locked] : []
  }
  const { wait, isOnTheWay } = makeLocksBack({
    lockOutbox: { read },
    writer: { nonce: async () => 1 } as unknown as EscrowWriter,
    reader: { jobFacts } as unknown as EscrowReader,
    untilChain: (ask) => ask(),
    clock,
    log: makeLog('test', 'silent'),
  })
  const begin = (batch: Batch) => {
    const state = { hasWaited: false }
    void wait(batch).then(() => {
      state.hasWaited = true
    })
    return state
  }
  return { chain, clock, begin, isOnTheWay }
}
const ENDS: readonly Batch[] = [
  { type: 'settle', items: [settle(job(1))] },
  { type: 'refund', items: [refund(job(1))] },
]

for (const batch of ENDS) {
  Back(
    `a ${batch.type} waits for the lock that it ends, as long as one is on its way`,
    async () => {
      const { chain, clock, begin } = open()
      chain.onTheWay = true
      const state = begin(batch)
      await clock.advance(1_000)
      assert.not(state.hasWaited)
      chain.back.add(job(1))
      await clock.advance(1_000)
      assert.ok(state.hasWaited)
    },
  )
  Back(
    `a ${batch.type} whose lock never comes again goes all the same: the chain says so`,
    async () => {
      const { chain, clock, begin } = open()
      chain.onTheWay = true
      const state = begin(batch)
      await clock.advance(1_000)
      chain.onTheWay = false
      await clock.advance(1_000)
      assert.ok(state.hasWaited)
    },
  )
}
Back('a lock is hoped for where it is stored, and where nobody can look so far', async () => {
  const { chain, isOnTheWay } = open()
  chain.stored = 3
  assert.ok(await isOnTheWay(job(3)))
  assert.not(await isOnTheWay(job(4)), 'others do not count')
  // The node tells of a nonce of long ago: it lags, or the chain has gone back far.
  chain.stored = 100
  assert.ok(await isOnTheWay(job(90)))
})
Back('other locks on their way do not hold up a settlement for ever', async () => {
  const { chain, clock, begin } = open()
  chain.onTheWay = true
  const state = begin({ type: 'settle', items: [settle(job(1)), settle(job(2))] })
  await clock.advance(20_000)
  assert.not(state.hasWaited)
  chain.back.add(job(2))
  await clock.advance(20_000)
  assert.not(state.hasWaited, 'locks come back: the next one may, too')
  await clock.advance(15_000)
  assert.ok(state.hasWaited)
})
Back('what ends no lock waits for none', async () => {
  const { chain, begin } = open()
  chain.onTheWay = true
  const state = begin({ type: 'lock', items: [lock(job(1))] })
  await rest()
  assert.ok(state.hasWaited)
  assert.is(chain.asked, 0)
})

Back.run()
