import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toAddress } from '../../../src/domain/ids.ts'
import type { RegisterReply } from '../../../src/messages/lane.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { job, lock, refund, settle, WALLET } from '../../fakes/chain/intents.ts'
import { inLaneHouse, number } from '../../fakes/chain/lane-house.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'

/** Each test has a house of its own, whose lanes end with it. */
const Lanes = suite('settle lane')
const test = inLaneHouse(Lanes)

test('at broadcast, edges hear of settlements, an inbox a message', async (house) => {
  await house.start('settle')
  await house.seedLocks(3)
  house.chain.held = []
  const other = { notify: 'edge.two' }
  await house.say(settle(job(1)), settle(job(2)), settle(job(3), other))
  assert.equal(
    house.edge.map((messages) => (messages as { jobId: string }[]).map((m) => number(m.jobId))),
    [[1, 2], [3]],
  )
  house.chain.release()
  await rest()
  assert.equal(house.heard(), [], 'that it is final is told by the watcher')
})

test('a settlement the chain refuses is told to the job', async (house) => {
  await house.start('settle')
  await house.seedLocks(1)
  await house.say(settle(job(1), { workerId: 0 }), settle(job(2)))
  assert.equal(house.heard().sort(), [
    'RefuseSettlement 1 UnknownWorker',
    'RefuseSettlement 2 NotLocked',
  ])
})

test('a node that lags cannot say why a settlement was passed over: it is not refused', async (house) => {
  const first = await house.start('settle')
  await house.seedLocks(1)
  await house.say(settle(job(1)))
  await house.stop(first)
  await house.start('settle')
  house.chain.behind = true
  await house.say(settle(job(1)))
  assert.equal(house.batches().slice(1), ['settle 1', 'settle 1'])
  assert.equal(house.heard(), [], 'it was settled before: the job asks again')
})

test('a key that has lost its role: settlements wait until it has it, as they were', async (house) => {
  await house.start('settle')
  await house.seedLocks(4)
  house.chain.roleless = true
  await house.say(settle(job(1)), settle(job(2)), settle(job(3)))
  await house.clock.advance(600_000)
  await house.say(settle(job(1)), settle(job(4)))
  assert.is(house.chain.sent.length, 2, 'the lock, and one transaction that reverted')
  assert.is(house.health('settle').heldUp?.by, 'role')
  assert.equal(house.heard(), [])
  house.chain.roleless = false
  await house.clock.advance(2_000)
  assert.equal(house.batches().slice(1), ['settle 1 2 3', 'settle 4'])
  assert.is(house.health('settle').heldUp, null)
})

test('the role was away for a block alone: the settlement that reverted is tried again', async (house) => {
  await house.start('settle')
  await house.seedLocks(1)
  house.chain.reverts = () => true
  await house.say(settle(job(1)))
  house.chain.reverts = () => false
  await house.clock.advance(29_000)
  await house.say(settle(job(1)))
  assert.equal(house.batches().slice(1), [], 'each try costs gas')
  await house.clock.advance(2_000)
  await house.say(settle(job(1)))
  assert.equal(house.batches().slice(1), ['settle 1'])
  assert.equal(house.heard(), [])
})

test('the lane moves while its key has no role: the next owner settles what jobs ask again', async (house) => {
  const first = await house.start('settle')
  await house.seedLocks(1)
  house.chain.roleless = true
  await house.say(settle(job(1)))
  await house.stop(first)
  house.chain.roleless = false
  await house.start('settle')
  assert.equal(house.batches().slice(1), [], 'what reverted is spent')
  await house.say(settle(job(1)))
  assert.equal(house.batches().slice(1), ['settle 1'])
})

test('a settlement above the cap of the hour waits, and is told to nobody', async (house) => {
  await house.start('settle')
  await house.seedLocks(2)
  house.chain.capped.add(job(1))
  await house.say(settle(job(1)), settle(job(2)))
  await house.say(settle(job(1)))
  assert.equal(house.batches().slice(1), ['settle 1 2'], 'asked again too soon, it is not tried')
  assert.equal(house.heard(), [])

  await house.clock.advance(30_000)
  await house.say(settle(job(1)))
  house.chain.capped.clear()
  await house.clock.advance(30_000)
  await house.say(settle(job(1)))
  assert.equal(house.batches().slice(1), ['settle 1 2', 'settle 1', 'settle 1'])
  const facts = await house.chain.jobFacts(job(1))
  assert.equal(
    facts.map(({ type }) => type),
    ['locked', 'skipped', 'skipped', 'settled'],
  )
})

const settles = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => settle(job(from + i)))

test('after many settlements at a time the next wait a moment, for more', async (house) => {
  await house.start('settle')
  await house.seedLocks(20)
  await house.say(...settles(1, 16))
  await house.say(...settles(17, 18))
  await house.clock.advance(30)
  assert.is(house.batches().length, 2, 'they wait')
  await house.say(...settles(19, 20))
  await house.clock.advance(10)
  assert.is(house.batches().at(-1), 'settle 17 18 19 20')
})

test('after few settlements, and where a whole batch waits, the next go at once', async (house) => {
  await house.start('settle', { itemsMax: 20 })
  await house.seedLocks(42)
  await house.say(...settles(1, 2))
  house.chain.held = []
  await house.say(...settles(3, 22))
  await house.say(...settles(23, 42))
  house.chain.release()
  await rest()
  assert.is(house.batches().length, 4)
})

test('refunds are told at broadcast; kinds take turns', async (house) => {
  await house.start('settle')
  await house.seedLocks(6)
  house.chain.held = []
  await house.say(settle(job(1)))
  await house.say(settle(job(2)), refund(job(3)))
  await house.say(settle(job(4)), refund(job(5)))
  house.chain.release()
  await rest()
  assert.equal(house.batches().slice(1), ['settle 1', 'refund 3 5', 'settle 2 4'])
  const heard = house.heard()
  assert.ok(heard.includes('ConfirmRefund 3 '), 'at broadcast, without a block')
  assert.ok(heard.includes('ConfirmRefund 3 3'))
})

test('a refund of a job that was settled, refunded, or never locked always ends', async (house) => {
  const first = await house.start('settle')
  await house.seedLocks(2)
  await house.say(settle(job(1)), refund(job(2)))
  await first.stop()
  await house.start('settle')
  house.heard()
  await house.say(refund(job(1)), refund(job(2)), refund(job(3)))
  const last = house.heard().slice(3).sort()
  assert.equal(last, ['ConfirmRefund 2 3', 'ConfirmSettlement 1 2', 'RefuseLock 3 NotLocked'])
})

test('with locks confirmed at broadcast, a refund ahead of its lock is tried again', async (house) => {
  const { chain } = house
  let include = (): void => {}
  const included = new Promise<boolean>((resolve) => {
    include = () => resolve(true)
  })
  const isOfLock = () =>
    Buffer.from(chain.sent.at(-1)!.slice(2), 'hex').toString().startsWith('lock')
  chain.stuck = async () => (isOfLock() ? included : true)
  for (const lane of ['lock', 'settle'] as const)
    await house.start(lane, { confirmLockAt: 'broadcast' })
  await house.say(lock(job(1)))
  await house.say(refund(job(1)))
  assert.equal(house.heard(), ['ConfirmLock 1 0', 'ConfirmRefund 1 '])
  include()
  await rest()
  await house.say(refund(job(1)))
  assert.equal(house.heard(), ['ConfirmLock 1 2', 'ConfirmRefund 1 ', 'ConfirmRefund 1 3'])
})

test('a refund whose lock is in no block, and in no transaction, is refused: it ends', async (house) => {
  await house.start('settle', { confirmLockAt: 'broadcast' })
  await house.say(refund(job(1)))
  assert.equal(house.heard().at(-1), 'RefuseLock 1 NotLocked')
})

test('registers a worker once, and answers all who asked', async (house) => {
  await house.start('settle')
  const wish = { signer: WALLET, payee: WALLET, signature: settle(job(1)).signature }
  const ask = () => house.bus.request<RegisterReply>(SUBJECTS.workerRegister, wish, 1_000)
  const replies = await Promise.all([ask(), ask()])
  replies.push(await ask())
  assert.equal(replies, Array(3).fill({ type: 'registered', workerId: 1 }))
  assert.equal(house.batches(), ['register'])
})

test('registers so many new workers in an hour, and tells the others when to come', async (house) => {
  await house.start('settle', { registrationsPerHour: 2 })
  const ask = (n: number) => {
    const signer = toAddress(`0x${String(n).padStart(40, '0')}`)
    const wish = { signer, payee: WALLET, signature: settle(job(1)).signature }
    return house.bus.request<RegisterReply>(SUBJECTS.workerRegister, wish, 1_000)
  }
  const types = async (...signers: number[]) =>
    (await Promise.all(signers.map(ask))).map(({ type }) => type)
  assert.equal(await types(1, 2, 3), ['registered', 'registered', 'refused'])
  assert.equal(await ask(3), {
    type: 'refused',
    reason: 'more new workers came than the network registers at its own expense in an hour',
    laterMs: 30 * 60_000,
  })
  assert.equal(await types(1, 2), ['registered', 'registered'], 'who has a number needs none')
  assert.equal(house.batches(), ['register', 'register'])

  await house.clock.advance(30 * 60_000)
  assert.equal(await types(3, 4), ['registered', 'refused'])
})

Lanes.run()
