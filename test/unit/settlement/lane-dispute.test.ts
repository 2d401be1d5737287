import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { CLAIMED, dispute, job, lock, refund, settle, WALLET } from '../../fakes/chain/intents.ts'
import { inLaneHouse, type LaneHouse } from '../../fakes/chain/lane-house.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'

/** Each test has a house of its own, whose lanes end with it. */
const Lanes = suite('settle lane: disputes')
const test = inLaneHouse(Lanes)

/** A settle lane on a chain where jobs 1 to `count` are settled. */
async function settled(house: LaneHouse, count: number) {
  await house.seedLocks(count)
  const lane = await house.start('settle')
  const jobs = Array.from({ length: count }, (_, i) => job(i + 1))
  await house.say(...jobs.map((jobId) => settle(jobId)))
  house.heard()
  return lane
}

test('disputes go in a batch; each job hears at broadcast and once included', async (house) => {
  await settled(house, 2)
  house.chain.held = []
  await house.say(dispute(job(1)), dispute(job(2)))
  const early = house.told.slice()
  assert.equal(house.heard(), ['ConfirmDispute 1 ', 'ConfirmDispute 2 '])
  house.chain.release()
  await rest()
  assert.equal(house.batches().at(-1), 'dispute 1 2')
  for (const command of [...early, ...house.told]) {
    assert.ok(command.type === 'ConfirmDispute' && command.claimedHash === CLAIMED)
    const [fact] = (await house.chain.jobFacts(command.jobId)).slice(-1)
    assert.is(command.tx, fact?.tx)
  }
  assert.equal(house.heard(), ['ConfirmDispute 1 3', 'ConfirmDispute 2 3'])
})

test('repeats while it waits or is in flight go into no second batch, later ones are told', async (house) => {
  await settled(house, 1)
  house.chain.held = []
  await house.say(dispute(job(1)))
  await house.say(dispute(job(1)), dispute(job(1)))
  house.chain.release()
  await rest()
  house.heard()
  await house.say(dispute(job(1)))
  assert.equal(house.heard(), ['ConfirmDispute 1 3'])
  assert.equal(
    house.batches().filter((batch) => batch.startsWith('dispute')),
    ['dispute 1'],
  )
})

test('kinds take turns: disputes wait for no settlements, nor these for them', async (house) => {
  await house.seedLocks(4)
  const first = await house.start('settle', { itemsMax: 1 })
  await house.say(settle(job(1)))
  house.chain.held = []
  await house.say(settle(job(2)))
  await house.say(settle(job(3)), settle(job(4)), dispute(job(1)))
  house.chain.release()
  await rest()
  assert.equal(house.batches().slice(2), ['settle 2', 'dispute 1', 'settle 3', 'settle 4'])
  await house.stop(first)
})

test('one that is open already, by an earlier owner or by the wallet itself, is confirmed', async (house) => {
  const first = await settled(house, 2)
  await house.say(dispute(job(1)))
  house.chain.openDispute(job(2), WALLET, CLAIMED)
  await house.stop(first)
  await house.start('settle')
  house.heard()
  await house.say(dispute(job(1)), dispute(job(2)))
  assert.equal(house.heard().slice(2).sort(), ['ConfirmDispute 1 3', 'ConfirmDispute 2 4'])
})

test('one that is decided already is confirmed: its end is told by the watcher', async (house) => {
  const first = await settled(house, 1)
  await house.say(dispute(job(1)))
  await house.stop(first)
  house.chain.resolveDispute(job(1), WALLET, true)
  await house.start('settle')
  house.heard()
  await house.say(dispute(job(1)))
  assert.equal(house.heard().slice(1), ['ConfirmDispute 1 3'])
})

test('of a job that is not settled (yet, or any more): the job asks again', async (house) => {
  await house.seedLocks(1)
  await house.start('settle')
  await house.say(dispute(job(1)), dispute(job(2)))
  // Of the second one the chain has lost the lock, too.
  assert.equal(house.heard(), ['ConfirmDispute 1 ', 'ConfirmDispute 2 '], 'no refusal')
  await house.say(settle(job(1)))
  await house.say(dispute(job(1)))
  assert.equal(house.heard().at(-1), 'ConfirmDispute 1 4')
})

test('of a job that was refunded: refused, as it can never be settled', async (house) => {
  await house.seedLocks(1)
  await house.start('settle')
  await house.say(refund(job(1)))
  house.heard()
  await house.say(dispute(job(1)))
  assert.equal(house.heard().at(-1), 'RefuseDispute 1 NotSettled')
})

test('after the window of the contract: refused, at once and when asked again', async (house) => {
  await settled(house, 2)
  house.chain.old.add(job(1))
  await house.say(dispute(job(1)), dispute(job(2)))
  assert.equal(house.heard().slice(2).sort(), [
    'ConfirmDispute 2 3',
    'RefuseDispute 1 DisputeWindowOver',
  ])
  await house.say(dispute(job(1)))
  assert.equal(house.heard(), ['RefuseDispute 1 DisputeWindowOver'])
})

test('a batch that reverts is halved; the bad one is asked for again, not refused', async (house) => {
  await settled(house, 3)
  house.chain.reverts = ({ jobId }) => jobId === job(2)
  await house.say(...[1, 2, 3].map((n) => dispute(job(n))))
  house.chain.reverts = () => false
  assert.not.ok(house.heard().some((line) => line.startsWith('RefuseDispute')))
  await house.say(dispute(job(2)))
  assert.ok(house.heard().at(-1)?.startsWith('ConfirmDispute 2 '))
})

test('stored but never broadcast: the next owner sends the same bytes, and tells', async (house) => {
  const first = await settled(house, 1)
  const { signed } = house.chain
  house.journal.onAppended = () => {
    house.chain.down = true
  }
  await house.say(dispute(job(1)))
  house.journal.onAppended = () => {}
  await house.stop(first)
  assert.equal(house.heard(), [])
  house.chain.down = false
  await house.start('settle')
  assert.equal(house.heard(), ['ConfirmDispute 1 ', 'ConfirmDispute 1 3'])
  assert.is(house.chain.signed, signed + 1)
})

test('a chain that went back: lock, settlement and dispute come back in order', async (house) => {
  await house.start('lock')
  await house.start('settle')
  await house.say(lock(job(1)))
  await house.say(settle(job(1)))
  await house.say(dispute(job(1)))
  house.chain.goBack(0)
  house.heard()
  await house.clock.advance(3_000)
  const facts = await house.chain.jobFacts(job(1))
  assert.equal(
    facts.map(({ type }) => type),
    ['locked', 'settled', 'disputed'],
  )
  assert.is(house.heard().at(-1), 'ConfirmDispute 1 3')
})

Lanes.run()
