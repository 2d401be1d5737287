import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { CreditChange } from '../../../actors/chain-watcher/credit-change.ts'
import { makeCreditFacts } from '../../../actors/chain-watcher/credit-facts.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { ChainFact } from '../../../src/ports/escrow.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { hashOf } from '../../fakes/chain/fake-chain.ts'
import { job, WALLET } from '../../fakes/chain/intents.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { WatcherHouse } from '../../fakes/chain/watcher-house.ts'
import { MemoryRegistry } from '../../fakes/memory-registry.ts'

const Facts = suite('credit facts')

/** Told by who buys and who spends; the ledger says how the wallet stands after each. */
class Buyers extends WatcherHouse {
  deposit(credits: number, tx = `buy ${credits}`): void {
    this.stands(credits)
    this.chain.mine((at) => [
      {
        ...{ ...at, tx: hashOf(tx), logIndex: 5, type: 'deposited', wallet: WALLET },
        ...{ credits: toCredits(credits), at: toUnixMs(1_800_000_000_000) },
      },
    ])
  }

  /** A job is settled for 8 credits, and leaves `owned`. */
  spend(n: number, owned: number, isNew = true): void {
    this.stands(owned, isNew)
    this.chain.mine((at): ChainFact[] => {
      const credits = { charged: toCredits(8), returned: toCredits(2) }
      const about = { jobId: job(n), wallet: WALLET, workerId: 1, outputHash: hashOf('text') }
      return [{ ...at, ...about, ...credits, logIndex: 0, type: 'settled' }]
    })
  }

  /** Credits leave the wallet, or come back, by its own will. */
  move(
    type: 'withdrawn' | 'thawing_started' | 'thawing_cancelled',
    credits: number,
    owned: number,
  ) {
    this.stands(owned)
    this.chain.mine((at): ChainFact[] => [
      { ...at, logIndex: 0, type, wallet: WALLET, credits: toCredits(credits) },
    ])
  }

  stands(owned: number, isNew = true): void {
    this.ledger.standing = { isNew, remaining: toCredits(owned), owned: toCredits(owned) }
  }

  types(): string[] {
    return this.wallets.told.splice(0).map(({ type }) => type)
  }
}

Facts('a top-up is told with what it added, and what the wallet has now', async () => {
  const house = new Buyers()
  const watcher = await house.watch()
  house.deposit(250)
  await rest()
  const [topup] = house.wallets.told
  assert.match(topup?.id ?? '', /^evt_[0-9a-f]{32}$/)
  assert.equal(topup, {
    id: topup?.id,
    type: 'credit.topup',
    wallet: WALLET,
    at: 1_800_000_000_000,
    data: {
      credits_added: 250,
      credits_remaining: 250,
      usdg_value: 2.5,
      tx: hashOf('buy 250'),
      block_number: 1,
    },
  })
  await watcher.stop()
})

Facts('low is told once, and again only after the balance was back', async () => {
  const house = new Buyers()
  house.listen()
  const watcher = await house.watch()
  const steps = [
    () => house.deposit(108),
    () => house.spend(1, 100),
    () => house.spend(2, 92),
    () => house.spend(3, 84),
    () => house.deposit(184),
    () => house.spend(4, 92),
  ]
  const told: string[][] = []
  for (const step of steps) {
    step()
    await rest()
    told.push(house.types())
  }
  const [topup, low] = [['credit.topup'], ['credit.low']]
  assert.equal(told, [topup, [], low, [], topup, low])
  await watcher.stop()
})

Facts(
  'low is told of what the wallet takes out, too, and no more once it has taken it back',
  async () => {
    const house = new Buyers()
    house.listen()
    const watcher = await house.watch()
    const steps = [
      () => house.deposit(300),
      () => house.move('withdrawn', 210, 90),
      () => house.deposit(110),
      () => house.move('thawing_started', 50, 60),
      () => house.move('thawing_cancelled', 50, 110),
      () => house.move('thawing_started', 50, 60),
    ]
    const told: string[][] = []
    for (const step of steps) {
      step()
      await rest()
      told.push(house.types())
    }
    const [topup, low] = [['credit.topup'], ['credit.low']]
    assert.equal(told, [topup, low, topup, low, [], low])
    await watcher.stop()
  },
)

Facts('the mark is kept: another watcher that reads all again tells nothing new', async () => {
  const house = new Buyers()
  house.listen()
  const first = await house.watch()
  house.deposit(100)
  await rest()
  house.spend(1, 92)
  await rest()
  await first.stop()
  const before = house.wallets.told.splice(0)
  assert.equal(
    before.map(({ type }) => type),
    ['credit.topup', 'credit.low'],
  )
  house.registry.entries.clear()
  house.stands(92, false)
  const second = await house.watch()
  await rest()
  const ids = house.wallets.told.map(({ id }) => id)
  assert.equal(ids, [before[0]?.id], 'the top-up again, under its first id')
  await second.stop()
})

/** A watcher ends that could not tell of the wallet, which has become low. */
async function crashUntold(house: Buyers): Promise<void> {
  house.listen()
  const watcher = await house.watch()
  house.deposit(100)
  await rest()
  house.types()
  house.wallets.failing = true
  house.spend(1, 92)
  await rest()
  await watcher.stop()
}

Facts(
  'a crash after the mark and before the telling: told by who comes next, as it was',
  async () => {
    const house = new Buyers()
    await crashUntold(house)
    assert.equal(house.saved(), 1, 'the block is read again')
    house.wallets.failing = false
    // Meanwhile the wallet has bought more: what was to be told is told all the same.
    house.stands(500, false)
    const second = await house.watch()
    await rest()
    const [low] = house.wallets.told
    assert.is(low?.type, 'credit.low')
    assert.equal(low?.data, { credits_remaining: 92, usdg_value: 0.92, threshold: 100 })
    await second.stop()
  },
)

Facts('what a crash left untold is told once, and not at each log after it', async () => {
  const house = new Buyers()
  await crashUntold(house)
  // Nor is it taken for told where it could not be.
  house.stands(92, false)
  const second = await house.watch()
  await rest()
  house.wallets.failing = false
  await house.clock.advance(3_000)
  assert.equal(house.types(), ['credit.low'])
  house.spend(2, 84)
  await rest()
  assert.equal(house.types(), [])
  await second.stop()
})

Facts('a wallet that was below all along has not become low, until it was above', async () => {
  const house = new Buyers()
  house.listen()
  const watcher = await house.watch()
  house.deposit(60)
  await rest()
  house.spend(1, 52)
  await rest()
  assert.equal(house.types(), ['credit.topup'])
  house.deposit(152)
  await rest()
  house.spend(2, 92)
  await rest()
  assert.equal(house.types(), ['credit.topup', 'credit.low'])
  await watcher.stop()
})

Facts('the cursor passes no block whose facts are not stored; jobs do not wait', async () => {
  const house = new Buyers()
  house.listen()
  const watcher = await house.watch()
  house.wallets.failing = true
  house.deposit(100)
  await rest()
  house.spend(1, 92)
  await rest()
  assert.equal(house.told(), ['ConfirmSettlement 1 2'])
  await house.clock.advance(1_000)
  assert.is(house.saved(), undefined)
  house.wallets.failing = false
  await house.clock.advance(3_000)
  assert.equal(house.types(), ['credit.topup', 'credit.low'], 'in order')
  await watcher.stop()
  assert.is(house.saved(), 2)
})

Facts('a top-up whose block is lost and comes back has the id it had', async () => {
  const house = new Buyers()
  const watcher = await house.watch()
  house.deposit(100, 'a')
  await rest()
  house.chain.goBack(0)
  house.chain.mine(() => [])
  house.deposit(100, 'b')
  house.deposit(100, 'a')
  await rest()
  const { told } = house.wallets
  const [first, other, again] = told.map(({ id }) => id)
  assert.is(told.length, 3)
  assert.is(first, again)
  assert.is.not(first, other)
  await watcher.stop()
})

Facts('two purchases in one transaction are two facts', async () => {
  const house = new Buyers()
  const watcher = await house.watch()
  house.chain.mine((at) =>
    [0, 1].map((logIndex) => ({
      ...{ ...at, logIndex, type: 'deposited', wallet: WALLET },
      ...{ credits: toCredits(100), at: toUnixMs(1) },
    })),
  )
  await rest()
  const ids = house.wallets.told.map(({ id }) => id)
  assert.is(new Set(ids).size, 2)
  await watcher.stop()
})

Facts(
  'a wallet that the ledger has forgotten is read from the chain before it is judged',
  async () => {
    const house = new Buyers()
    house.listen()
    const loaded: string[] = []
    const watcher = await house.watch(1, async (wallet) => {
      loaded.push(wallet)
      house.stands(92, false)
    })
    house.spend(1, 92)
    house.ledger.standing = 'unknown_wallet'
    await rest()
    assert.equal(loaded, [WALLET])
    assert.equal(house.types(), ['credit.low'])
    await watcher.stop()
  },
)

Facts('low again, told at a log that told it before, is another fact', async () => {
  const house = new Buyers()
  house.listen()
  const first = await house.watch()
  const steps = [() => house.deposit(100), () => house.spend(1, 92), () => house.deposit(292)]
  for (const step of steps) {
    step()
    await rest()
  }
  await first.stop()
  const [, low] = house.wallets.told.splice(0)
  assert.is(low?.type, 'credit.low')
  // Nothing of it is kept; and before it is read again, most of the credits are withdrawn.
  house.registry.entries.clear()
  house.stands(42, false)
  const second = await house.watch()
  await rest()
  const lows = house.wallets.told.filter(({ type }) => type === 'credit.low')
  assert.is(lows.length, 1)
  assert.is.not(lows[0]?.id, low?.id, 'whoever has seen the first one must not pass over it')
  await second.stop()
})

Facts('whoever is told of a top-up is told of what is low after it, whoever dies', async () => {
  const house = new Buyers()
  house.listen()
  const first = await house.watch()
  house.deposit(100)
  await rest()
  house.spend(1, 92)
  await rest()
  house.wallets.failing = true
  house.deposit(292)
  await rest()
  await first.stop()
  house.wallets.failing = false
  house.types()
  // The crash was in the midst of the telling, and the balance is down again by the second time.
  house.stands(42, false)
  const second = await house.watch()
  house.spend(2, 42, false)
  await rest()
  assert.equal(house.types(), ['credit.topup', 'credit.low'])
  await second.stop()
})

Facts('a mark that another watcher moved is read again, and nothing is told twice', async () => {
  const house = new Buyers()
  house.listen()
  const watcher = await house.watch()
  house.deposit(100)
  await rest()
  house.types()
  await house.wallets.lowMarks.set(WALLET, { is: 'told' })
  house.spend(1, 92)
  await house.clock.advance(1_000)
  assert.equal(house.types(), [])
  await watcher.stop()
})

Facts('what waits while NATS takes no fact is logged once, however much it is', async () => {
  const lines: string[] = []
  const [log, clock] = [
    makeLog('test', 'warn', { write: (line) => lines.push(line) }),
    new ManualClock(),
  ]
  let isAway = true
  const publish = async () => {
    if (isAway) throw new Error('no answer')
  }
  const facts = makeCreditFacts({
    ...{ facts: { publish }, lowMarks: new MemoryRegistry(), load: async () => {}, clock, log },
    settings: { of: async () => ({ lowThreshold: toCredits(0) }) } as never,
    ledger: {} as never,
  })
  const standing = { isNew: true, remaining: toCredits(9), owned: toCredits(9) }
  let told = 0
  for (let i = 0; i < 100; i++) {
    const wallet = toAddress(`0x${String(i).padStart(40, '0')}`)
    const entry = { kind: 'deposited', wallet, credits: toCredits(9), block: 1, at: clock.now() }
    const change = { entry, tx: hashOf('buy'), place: 0, standing } as unknown as CreditChange
    facts.take(change, () => told++)
  }
  for (let i = 0; i < 20; i++) await clock.advance(100)
  assert.equal([told, lines.length], [0, 1])
  isAway = false
  for (let i = 0; i < 20; i++) await clock.advance(100)
  assert.equal([told, lines.length], [100, 1])
  facts.stop()
})

Facts.run()
