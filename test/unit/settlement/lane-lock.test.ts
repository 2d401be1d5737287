import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toAddress } from '../../../src/domain/ids.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { job, lock, WALLET } from '../../fakes/chain/intents.ts'
import { inLaneHouse } from '../../fakes/chain/lane-house.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'

/** Each test has a house of its own, whose lanes end with it. */
const Lanes = suite('lock lane')
const test = inLaneHouse(Lanes)

test('intents of one turn go into one batch, and each job hears of its lock', async (house) => {
  await house.start('lock')
  await house.say(lock(job(1)), lock(job(2)), lock(job(3)))
  assert.equal(house.batches(), ['lock 1 2 3'])
  assert.equal(house.heard(), ['ConfirmLock 1 1', 'ConfirmLock 2 1', 'ConfirmLock 3 1'])
})

test('takes several intents in one message', async (house) => {
  await house.start('lock')
  house.bus.publish(SUBJECTS.lane('lock'), [lock(job(1)), lock(job(2))])
  await rest()
  assert.equal(house.batches(), ['lock 1 2'])
})

test('what arrives while a batch is in flight goes into the next, repeats into none', async (house) => {
  await house.start('lock')
  house.chain.held = []
  await house.say(lock(job(1)))
  await house.say(lock(job(1)), lock(job(2)))
  await house.say(lock(job(2)), lock(job(3)))
  house.chain.release()
  await rest()
  assert.equal(house.batches(), ['lock 1', 'lock 2 3'])
})

test('after many locks at a time the next wait a moment, for more; after few they do not', async (house) => {
  await house.start('lock')
  const locks = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => lock(job(from + i)))
  await house.say(...locks(1, 8))
  await house.say(...locks(9, 10))
  await house.clock.advance(5)
  assert.is(house.batches().length, 1, 'they wait')
  await house.say(...locks(11, 12))
  await house.clock.advance(5)
  assert.is(house.batches().at(-1), 'lock 9 10 11 12')
  await house.say(...locks(13, 14))
  assert.is(house.batches().at(-1), 'lock 13 14')
})

test('a batch holds no more than itemsMax', async (house) => {
  await house.start('lock', { itemsMax: 2 })
  await house.say(lock(job(1)), lock(job(2)), lock(job(3)))
  assert.equal(house.batches(), ['lock 1 2', 'lock 3'])
})

test('a repeat after the end is answered from memory', async (house) => {
  await house.start('lock')
  await house.say(lock(job(1)))
  house.heard()
  await house.say(lock(job(1)))
  assert.equal(house.heard(), ['ConfirmLock 1 1'])
  assert.equal(house.chain.signed, 1)
})

test('a wallet that cannot pay is refused with the reason of the chain', async (house) => {
  await house.start('lock')
  house.chain.poor.add(WALLET)
  await house.say(lock(job(1)))
  assert.equal(house.heard(), ['RefuseLock 1 InsufficientCredits'])
})

test('a job that was locked before hears of that lock', async (house) => {
  const first = await house.start('lock')
  await house.say(lock(job(1)))
  await first.stop()
  house.heard()
  await house.start('lock')
  await house.say(lock(job(1)))
  assert.equal(house.batches(), ['lock 1', 'lock 1'])
  assert.equal(house.heard(), ['ConfirmLock 1 1'])
})

test('while the escrow is paused, a job that was locked before hears of that lock as well', async (house) => {
  const first = await house.start('lock')
  await house.say(lock(job(1)))
  await first.stop()
  house.heard()
  house.chain.paused = true
  await house.start('lock')
  await house.say(lock(job(1)), lock(job(2)))
  assert.equal(house.heard().sort(), ['ConfirmLock 1 1', 'RefuseLock 2 Paused'])
})

test('one that reverts alone, and was locked before, hears of that lock', async (house) => {
  const first = await house.start('lock')
  await house.say(lock(job(1)))
  await first.stop()
  house.heard()
  house.chain.reverts = () => true
  await house.start('lock')
  await house.say(lock(job(1)))
  assert.equal(house.heard(), ['ConfirmLock 1 1'])
})

test('a batch that reverts is halved down to the bad item', async (house) => {
  await house.start('lock')
  house.chain.reverts = ({ jobId }) => jobId === job(3)
  await house.say(...[1, 2, 3, 4, 5].map((n) => lock(job(n))))
  assert.equal(house.batches(), ['lock 1 2', 'lock 4 5'])
  assert.equal(house.heard().sort(), [
    'ConfirmLock 1 2',
    'ConfirmLock 2 2',
    'ConfirmLock 4 5',
    'ConfirmLock 5 5',
    'RefuseLock 3 reverted',
  ])
})

test('abandon: one that waits is dropped, and a late plain intent refused', async (house) => {
  await house.start('lock')
  house.chain.held = []
  await house.say(lock(job(1)))
  await house.say(lock(job(2)))
  await house.say(lock(job(2), { abandon: true }))
  assert.equal(house.heard(), ['RefuseLock 2 abandoned'])
  house.chain.release()
  await rest()
  await house.say(lock(job(2)))
  assert.equal(house.batches(), ['lock 1'])
  assert.equal(house.heard(), ['ConfirmLock 1 1', 'RefuseLock 2 abandoned'])
})

test('abandon: one in flight is told what became of it', async (house) => {
  await house.start('lock')
  house.chain.held = []
  await house.say(lock(job(1)))
  await house.say(lock(job(1), { abandon: true }))
  assert.equal(house.heard(), [])
  house.chain.release()
  await rest()
  assert.equal(house.heard(), ['ConfirmLock 1 1'])
})

test('abandon: a node that has not the block of the lock yet is no proof that there is none', async (house) => {
  await house.start('lock')
  await house.say(lock(job(1)))
  house.heard()
  house.chain.behind = true
  await house.say(lock(job(1), { abandon: true }))
  assert.equal(house.heard(), [])
  house.chain.behind = false
  await house.say(lock(job(1), { abandon: true }))
  assert.equal(house.heard(), ['ConfirmLock 1 1'])
})

test('abandon: one that an earlier owner locked hears of the lock, even if it waits', async (house) => {
  const first = await house.start('lock')
  await house.say(lock(job(1)))
  await first.stop()
  await house.start('lock')
  house.chain.held = []
  await house.say(lock(job(2)))
  await house.say(lock(job(1)))
  house.heard()
  await house.say(lock(job(1), { abandon: true }))
  assert.equal(house.heard(), ['ConfirmLock 1 1'])
  house.chain.release()
})

test('abandon: said before the lane has begun, what the job said earlier does not undo it', async (house) => {
  house.chain.down = true
  await house.start('lock')
  await house.say(lock(job(1), { abandon: true }))
  await house.say(lock(job(1)), lock(job(2)))
  house.chain.down = false
  await house.clock.advance(2_000)
  assert.equal(house.batches(), ['lock 2'])
  assert.equal(house.heard().sort(), ['ConfirmLock 2 1', 'RefuseLock 1 abandoned'])
})

test('with locks confirmed at broadcast, a job hears twice', async (house) => {
  await house.start('lock', { confirmLockAt: 'broadcast' })
  await house.say(lock(job(1)))
  assert.equal(house.heard(), ['ConfirmLock 1 0', 'ConfirmLock 1 1'])
})

test('at broadcast, but not of a wallet whose last lock was passed over, until one is taken', async (house) => {
  const other = { wallet: toAddress(`0x${'bb'.repeat(20)}`) }
  await house.start('lock', { confirmLockAt: 'broadcast' })
  house.chain.poor.add(WALLET)
  await house.say(lock(job(1)))
  assert.equal(house.heard(), ['ConfirmLock 1 0', 'RefuseLock 1 InsufficientCredits'])
  await house.say(lock(job(2)), lock(job(3), other))
  assert.equal(house.heard().sort(), [
    ...['ConfirmLock 3 0', 'ConfirmLock 3 2'],
    'RefuseLock 2 InsufficientCredits',
  ])
  house.chain.poor.delete(WALLET)
  await house.say(lock(job(4)))
  assert.equal(house.heard(), ['ConfirmLock 4 3'])
  await house.say(lock(job(5)))
  assert.equal(house.heard(), ['ConfirmLock 5 0', 'ConfirmLock 5 4'])
})

test('at broadcast, but of no wallet while the escrow is paused', async (house) => {
  const other = { wallet: toAddress(`0x${'bb'.repeat(20)}`) }
  await house.start('lock', { confirmLockAt: 'broadcast' })
  house.chain.paused = true
  await house.say(lock(job(1)))
  assert.equal(house.heard(), ['ConfirmLock 1 0', 'RefuseLock 1 Paused'])
  await house.say(lock(job(2), other))
  assert.equal(house.heard(), ['RefuseLock 2 Paused'])
  house.chain.paused = false
  await house.say(lock(job(3)))
  assert.equal(house.heard(), ['ConfirmLock 3 3'])
  await house.say(lock(job(4), other))
  assert.equal(house.heard(), ['ConfirmLock 4 0', 'ConfirmLock 4 4'])
})

Lanes.run()
