import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { RegisterReply } from '../../../src/messages/lane.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { RequestTimeout } from '../../../src/ports/bus.ts'
import { job, lock, settle, WALLET } from '../../fakes/chain/intents.ts'
import { inLaneHouse } from '../../fakes/chain/lane-house.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'

/** Each test has a house of its own, whose lanes end with it. */
const Lanes = suite('lane recovery')
const test = inLaneHouse(Lanes)

test('stored but never broadcast: the next owner sends the same bytes', async (house) => {
  const first = await house.start('lock')
  house.journal.onAppended = ({ subject }) => {
    if (subject === 'tx.lock.0') house.chain.down = true
  }
  await house.say(lock(job(1)), lock(job(2)))
  assert.equal(house.chain.sent, [])
  await house.stop(first)
  house.journal.onAppended = () => {}
  house.chain.down = false
  await house.start('lock')
  assert.equal(house.chain.signed, 1, 'signed once')
  assert.equal(house.heard(), ['ConfirmLock 1 1', 'ConfirmLock 2 1'])
  await house.say(lock(job(3)))
  assert.equal(house.batches(), ['lock 1 2', 'lock 3'])
})

test('included, but its receipt never read: the next owner tells of it', async (house) => {
  const first = await house.start('settle')
  await house.seedLocks(1)
  house.chain.held = []
  await house.say(settle(job(1)))
  await house.stop(first)
  house.edge.length = 0
  house.chain.held = undefined
  await house.start('settle')
  assert.equal(house.batches().at(-1), 'settle 1')
  assert.equal(house.edge.length, 1)
})

test('an outage of the chain is waited out with the same transaction', async (house) => {
  await house.start('lock')
  house.journal.onAppended = () => {
    house.chain.down = true
  }
  await house.say(lock(job(1)))
  house.journal.onAppended = () => {}
  await house.clock.advance(10_000)
  assert.equal(house.heard(), [])
  house.chain.down = false
  await house.clock.advance(1_000)
  assert.equal(house.heard(), ['ConfirmLock 1 1'])
  assert.equal(house.chain.signed, 1)
})

test('a former owner cannot write: it is refused, drops its memory and begins anew', async (house) => {
  const former = await house.start('lock')
  await house.start('lock')
  // Both hear the intent; only the later owner holds the nonce.
  await house.say(lock(job(1)))
  assert.equal(house.batches(), ['lock 1'])
  await house.stop(former)
  await house.say(lock(job(2)))
  assert.equal(house.batches(), ['lock 1', 'lock 2'])
})

test('a nonce that another program used: begins anew behind it', async (house) => {
  await house.start('lock')
  house.chain.stealNonce('lock')
  await house.say(lock(job(1)))
  assert.equal(house.heard(), [])
  await house.clock.advance(600)
  await house.say(lock(job(1)))
  assert.equal(house.heard(), ['ConfirmLock 1 2'])
})

test('a chain that has gone back gets all lost transactions again, in order', async (house) => {
  await house.start('lock')
  for (const n of [1, 2, 3]) await house.say(lock(job(n)))
  house.heard()
  house.chain.goBack(1)
  await house.say(lock(job(4)))
  await house.clock.advance(1_000)
  assert.equal(house.batches().slice(3), ['lock 2', 'lock 3', 'lock 4'])
  assert.equal(house.heard().at(-1), 'ConfirmLock 4 4')
  assert.equal(house.chain.signed, 4, 'the stored bytes went out again')
})

test('a part of a batch that is lost as the chain goes back is sent when its job asks again', async (house) => {
  const { chain } = house
  await house.start('settle')
  await house.seedLocks(3)
  await house.say(settle(job(3)))
  chain.roomFor = 1
  // The batch is too large for the node; before its first half arrives the chain has gone back.
  chain.onSend = () => {
    if (chain.sent.length === 4) chain.goBack(1)
  }
  await house.say(settle(job(1)), settle(job(2)))
  await house.clock.advance(1_000)
  assert.equal(house.batches().slice(1), ['settle 3', 'settle 3', 'settle 1'])
  assert.is(house.health('settle').waiting, 0, 'what is lost is no backlog')
  await house.say(settle(job(2)))
  assert.equal(house.batches().at(-1), 'settle 2')
})

test('a settlement asked for long after: the chain is asked whether it still holds it', async (house) => {
  await house.start('settle')
  await house.seedLocks(1)
  await house.say(settle(job(1)))
  await house.say(settle(job(1)))
  assert.equal(house.chain.asked, 0)
  await house.clock.advance(60_000)
  house.chain.goBack(1)
  await house.say(settle(job(1)))
  await house.clock.advance(1_000)
  // The lost bytes again, then the new batch, which finds the job settled.
  assert.equal(house.batches().slice(2), ['settle 1', 'settle 1'])
  assert.equal(house.heard(), [])
})

test('a settlement asked for long after, by a clock that was set back: the chain is asked', async (house) => {
  await house.start('settle')
  await house.seedLocks(1)
  await house.say(settle(job(1)))
  house.clock.jump(-3_600_000)
  await house.clock.advance(31_000)
  await house.say(settle(job(1)))
  assert.is(house.chain.asked, 1)
})

test('a registration that the lane before has stored is not sent again for who asks meanwhile', async (house) => {
  const wish = { signer: WALLET, payee: WALLET, signature: settle(job(1)).signature }
  const ask = () => house.bus.request<RegisterReply>(SUBJECTS.workerRegister, wish, 2_000)
  const former = await house.start('settle')
  house.journal.onAppended = () => {
    house.chain.down = true
  }
  const lost = ask().catch((error: unknown) => error)
  await rest()
  house.journal.onAppended = () => {}
  await house.stop(former)
  house.chain.down = false
  house.chain.held = []
  await house.start('settle')
  const asked = ask()
  await rest()
  house.chain.release()
  assert.equal(await asked, { type: 'registered', workerId: 1 })
  await rest()
  assert.equal(house.batches(), ['register'])
  assert.instance(await lost, RequestTimeout)
})

/** Neither an answer nor silence: what a node or a proxy before it says when it is broken. */
const senseless = async () => {
  throw new TypeError('logs is not iterable')
}

test('an answer without sense about a job: who asks again is answered', async (house) => {
  await house.seedLocks(1)
  await house.start('lock')
  const jobFacts = house.chain.jobFacts.bind(house.chain)
  house.chain.jobFacts = senseless
  await house.say(lock(job(1), { abandon: true }))
  assert.equal(house.heard(), [])
  house.chain.jobFacts = jobFacts
  await house.say(lock(job(1), { abandon: true }))
  assert.equal(house.heard(), ['ConfirmLock 1 1'])
})

test('an answer without sense about what was passed over: who asks again is answered', async (house) => {
  await house.seedLocks(1)
  await house.start('lock')
  const jobFactsAt = house.chain.jobFactsAt.bind(house.chain)
  house.chain.jobFactsAt = senseless
  await house.say(lock(job(1)))
  assert.equal(house.heard(), [])
  house.chain.jobFactsAt = jobFactsAt
  await house.say(lock(job(1)))
  assert.equal(house.heard(), ['ConfirmLock 1 1'])
})

test('an answer without sense about a worker: who asks again is registered', async (house) => {
  await house.start('settle')
  const workerId = house.chain.workerId.bind(house.chain)
  house.chain.workerId = senseless
  const wish = { signer: WALLET, payee: WALLET, signature: settle(job(1)).signature }
  const ask = () => house.bus.request<RegisterReply>(SUBJECTS.workerRegister, wish, 100)
  const first = ask().catch((error: unknown) => error)
  await rest()
  house.chain.workerId = workerId
  assert.equal(await ask(), { type: 'registered', workerId: 1 })
  assert.instance(await first, RequestTimeout)
})

Lanes.run()
