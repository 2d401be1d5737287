import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TokenUnits } from '../../../src/domain/credits.ts'
import type { ConfirmLock } from '../../../src/messages/job.ts'
import type { LaneIntent } from '../../../src/messages/lane.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import type { Earnings, KeeperOutcome } from '../../../src/ports/keeper.ts'
import { job, refund, settle } from '../../fakes/chain/intents.ts'
import { openHouse, wallet } from './house.ts'
import { told } from './stories.ts'

/** The keeper's turns, on a chain that is told what to answer. */
const Keeper = suite('keeper: one turn after the other')

const PAUSED: KeeperOutcome = { type: 'refused', reason: 'EnforcedPause' }

Keeper('takes back a lock once its time is over by the chain, and once only', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'locked', 1))
  await house.keep()
  await house.pass(200)
  assert.equal(house.made(), [])
  house.chain.mine(250)
  await house.pass(1)
  assert.equal(house.made(), ['refund 1'])
  house.chain.mine(251, told(251, 'refunded', 1))
  await house.pass(60)
  assert.equal(house.made(), [])
})

Keeper('an idle chain stands still, so the clock of this machine counts too', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'locked', 1))
  await house.keep()
  await house.pass(240)
  assert.equal(house.made(), [])
  await house.pass(12)
  assert.equal(house.made(), ['refund 1'])
})

Keeper('waits for the confirmations that it was told', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'locked', 1))
  house.chain.mine(300)
  house.chain.mine(300, told(299, 'settled', 1))
  await house.keep(3)
  assert.equal(house.made(), ['refund 1'], 'the settlement is not final yet; the chain will say')
})

Keeper('asks the job: one that waits for its settlement keeps its lock', async () => {
  const house = openHouse()
  house.isSettling = true
  house.chain.mine(10, told(10, 'locked', 1))
  house.chain.mine(300)
  await house.keep()
  await house.pass(60)
  assert.equal(house.made(), [])
  house.chain.mine(10 + 180 + 7_200)
  await house.pass(15)
  assert.equal(house.made(), ['refund 1'])
})

for (const status of ['pending', 'processing'] as const) {
  Keeper(
    `asks the job: one that is ${status} keeps its lock, however far the chain's time jumps`,
    async () => {
      const house = openHouse()
      house.status = status
      house.chain.mine(10, told(10, 'locked', 1))
      house.chain.mine(610)
      await house.keep()
      await house.pass(60)
      assert.equal(house.made(), [])
      house.status = 'refunded'
      await house.pass(15)
      assert.equal(house.made(), ['refund 1'])
    },
  )
}

Keeper('one of each kind a turn: none waits behind the many of another', async () => {
  const house = openHouse()
  house.chain.mine(10, ...[1, 2, 3].map((n) => told(10, 'locked', n)), told(10, 'settled', 4))
  house.chain.mine(11, told(11, 'disputed', 5))
  house.chain.tokens.set(house.chain.depositAddress(wallet(7)), 1_000_000n)
  await house.keys.set('hash', { wallet: wallet(7) })
  house.chain.earnings.set(1, { total: 2_000_000n, claimable: 2_000_000n } as Earnings)
  house.chain.mine(100_000)
  await house.keep()
  await house.pass(20)
  const made = house.made()
  assert.equal(made.slice(0, 4), ['sweep 7', 'refund 1', 'end_dispute 5', 'claim 1'])
  assert.equal(made.slice(4, 6), ['refund 2', 'refund 3'])
})

Keeper('what the chain refuses is tried again later and later, told once, and alone', async () => {
  const house = openHouse()
  const [frozen, free] = [wallet(7), wallet(8)]
  for (const each of [frozen, free]) {
    house.chain.tokens.set(house.chain.depositAddress(each), 1_000_000n)
    await house.wallets.set(each, {})
  }
  house.chain.outcome = (call) =>
    call.type === 'sweep' && call.wallet === frozen ? PAUSED : { type: 'done', tx: '0x' as never }
  await house.keep()
  await house.pass(3)
  assert.equal(house.made().sort(), ['sweep 7', 'sweep 8'])
  await house.pass(600)
  const tries = house.made().length
  assert.ok(tries >= 4 && tries <= 8, `${tries} tries in ten minutes`)
  assert.is(house.told('warn').length, 1)
  house.chain.outcome = () => ({ type: 'done', tx: '0x' as never })
  await house.pass(600)
  assert.equal(house.made(), ['sweep 7'])
})

Keeper('transfers that cannot be read hold up nothing else', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'locked', 1))
  await house.keep()
  house.chain.transfersFail = true
  house.chain.mine(300)
  await house.pass(3)
  assert.equal(house.made(), ['refund 1'])
  assert.is(house.told('warn').length, 1)
  const at = house.chain.depositAddress(wallet(7))
  await house.wallets.set(wallet(7), {})
  await house.pass(2)
  house.chain.transfer(at, 1_000_000n)
  house.chain.transfersFail = false
  await house.pass(2)
  assert.equal(house.made(), ['sweep 7'], 'what was missed meanwhile is read afterwards')
})

Keeper('a reorg: what was settled in blocks that are gone is locked again', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'locked', 1))
  await house.keep()
  house.chain.mine(12, told(12, 'settled', 1))
  await house.pass(1)
  house.chain.goBack(10)
  house.chain.mine(300)
  await house.pass(2)
  assert.equal(house.made(), ['refund 1'])
})

Keeper(
  'a reorg: a job that rests on what is gone has its end asked for, until it stands',
  async () => {
    const house = openHouse()
    const asked: LaneIntent[] = []
    house.bus.subscribe(SUBJECTS.lane('settle'), (intent) => asked.push(intent as LaneIntent))
    const { notify: _, ...ends } = settle(job(1))
    house.isSettling = true
    house.chain.mine(10, told(10, 'locked', 1), told(10, 'locked', 2))
    await house.keep()
    house.chain.mine(11, told(11, 'settled', 1))
    await house.pass(1)
    house.chain.goBack(9)
    await house.pass(1)
    house.chain.mine(12, told(12, 'locked', 1))
    await house.pass(2)
    assert.equal(asked.splice(0), [ends], 'of the one whose lock stands again')
    await house.pass(10)
    assert.equal(asked.splice(0), [ends], 'the lane may not have heard it')
    house.chain.mine(13, told(13, 'settled', 1))
    await house.pass(60)
    assert.equal(asked, [])
  },
)

Keeper('a lock that stands for long: its job says how it ended, or nothing', async () => {
  const house = openHouse()
  const asked: LaneIntent[] = []
  for (const lane of ['lock', 'settle'] as const)
    house.bus.subscribe(SUBJECTS.lane(lane), (intent) => asked.push(intent as LaneIntent))
  house.chain.mine(10, told(10, 'locked', 1))
  await house.keep()
  house.isSettling = true
  house.chain.mine(10 + 149)
  await house.pass(1)
  assert.equal(asked.splice(0), [])
  house.chain.mine(10 + 150)
  await house.pass(2)
  assert.equal(
    asked.splice(0).map(({ type }) => type),
    ['settle'],
  )
  for (const status of ['failed', 'refunded'] as const) {
    house.status = status
    await house.pass(status === 'failed' ? 10 : 20)
    assert.equal(asked.splice(0), [refund(job(1))], status)
  }
  house.status = 'pending'
  await house.pass(40)
  assert.equal(asked, [])
})

Keeper(
  'a job that never heard of its lock is told of it as well, whatever its lane does',
  async () => {
    const house = openHouse()
    const asked: LaneIntent[] = []
    for (const lane of ['lock', 'settle'] as const)
      house.bus.subscribe(SUBJECTS.lane(lane), (intent) => asked.push(intent as LaneIntent))
    const heard: unknown[] = []
    house.bus.subscribe(SUBJECTS.jobCommand(job(1)), (command) => heard.push(command))
    house.chain.mine(10, told(10, 'locked', 1))
    house.status = 'failed'
    house.escrowTx = null
    await house.keep()
    house.chain.mine(10 + 150)
    await house.pass(2)
    assert.equal(asked, [refund(job(1))])
    const tx = await house.chain.lockedBy(job(1), 10)
    const { at: _, ...last } = heard.at(-1) as ConfirmLock
    assert.equal(last, { type: 'ConfirmLock', jobId: job(1), tx, block: 10 })
  },
)

Keeper('a chain that is another one is read from the deployment on', async () => {
  const house = openHouse()
  house.chain.mine(100, told(10, 'locked', 1))
  const keeper = await house.keep()
  await keeper.stop()
  assert.ok(house.cursors.entries.has('keeper'), 'it leaves a checkpoint')
  house.chain.goBack(0)
  house.chain.mine(400, told(20, 'locked', 2))
  await house.keep()
  await house.pass(1)
  assert.equal(house.made(), ['refund 2'])
})

Keeper('a start that fails leaves nothing open', async () => {
  const house = openHouse()
  await house.wallets.set(wallet(7), {})
  house.chain.tokens.set(house.chain.depositAddress(wallet(7)), 1_000_000n)
  for (const failing of [house.wallets, house.strikes]) {
    const { watch } = failing
    failing.watch = async () => {
      throw new Error('no NATS')
    }
    const failed = await house.keep().catch((error: unknown) => error)
    assert.instance(failed, Error)
    failing.watch = watch
    const watches = [house.keys, house.wallets, house.strikes].map(({ watching }) => watching)
    assert.equal(watches, [0, 0, 0])
  }
  house.made()
  await house.pass(60)
  assert.equal(house.made(), [], 'and nobody at work')
})

Keeper('with its checkpoint it reads only what is new', async () => {
  const house = openHouse()
  house.chain.mine(5_000, told(10, 'locked', 1))
  house.chain.outcome = () => PAUSED
  const keeper = await house.keep()
  await keeper.stop()
  house.chain.ranges.length = 0
  house.made()
  house.chain.mine(5_001)
  await house.keep()
  assert.equal(house.chain.ranges, [[5_001, 5_001]])
  assert.equal(house.made(), ['refund 1'], 'and has forgotten nothing that was open')
})

Keeper('what it came to know a moment before its end is in its checkpoint', async () => {
  const house = openHouse()
  house.chain.mine(5_000)
  const keeper = await house.keep()
  assert.ok(house.cursors.entries.has('keeper'), 'for a crash')
  house.chain.mine(5_001, told(5_001, 'locked', 1))
  await house.pass(1)
  await keeper.stop()
  house.chain.ranges.length = 0
  house.chain.mine(5_301)
  await house.keep()
  assert.is(house.chain.ranges[0]?.[0], 5_002)
  assert.equal(house.made(), ['refund 1'])
})

Keeper('the checkpoint of another escrow says nothing of this one', async () => {
  const house = openHouse()
  house.chain.mine(5_000, told(10, 'locked', 1))
  house.chain.outcome = () => PAUSED
  const keeper = await house.keep()
  await keeper.stop()
  const left = house.cursors.entries.get('keeper')!.value as object
  await house.cursors.set('keeper', { ...left, jobEscrow: wallet(0xe6), locks: [] })
  house.made()
  house.chain.ranges.length = 0
  await house.keep()
  assert.is(house.chain.ranges[0]?.[0], 1)
  assert.equal(house.made(), ['refund 1'])
})

Keeper('earnings: a small sum is paid after a day, then nothing until there is more', async () => {
  const house = openHouse()
  house.chain.mine(10, told(10, 'settled', 1))
  house.chain.earnings.set(1, { total: 60_000n, claimable: 60_000n } as Earnings)
  house.chain.mine(2_000)
  await house.keep()
  assert.equal(house.made(), [])
  house.chain.mine(90_000)
  await house.pass(11 * 60)
  assert.equal(house.made(), ['claim 1'])
  house.chain.earnings.set(1, { total: 0n as TokenUnits, claimable: 0n as TokenUnits })
  house.chain.mine(200_000)
  await house.pass(11 * 60)
  assert.equal(house.made(), [])
})

Keeper.run()
