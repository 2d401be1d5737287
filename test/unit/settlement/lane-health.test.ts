import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { GasFundsMissing } from '../../../src/ports/escrow.ts'
import { SignerUnavailable } from '../../../src/ports/signer.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { job, lock, settle } from '../../fakes/chain/intents.ts'
import { inLaneHouse } from '../../fakes/chain/lane-house.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'

/** What a lane says of itself. Each test has a house of its own. */
const Healths = suite('lane health')
const test = inLaneHouse(Healths)

test('idle and well, said twice a second', async (house) => {
  await house.start('lock')
  const before = house.healths.length
  await house.clock.advance(5_000)
  assert.is(house.healths.length - before, 10)
  assert.equal(house.health('lock'), { lane: 'lock', heldUp: null, waiting: 0, oldestMs: 0 })
})

test('how many wait, and how long the oldest', async (house) => {
  await house.start('lock')
  house.chain.held = []
  await house.say(lock(job(1)))
  await house.clock.advance(2_000)
  await house.say(lock(job(1)), lock(job(2)), lock(job(3)))
  await house.clock.advance(1_000)
  assert.is(house.health('lock').waiting, 3)
  assert.is(house.health('lock').oldestMs, 3_000, 'a repeat is no younger')
  house.chain.release()
  await rest()
  await house.clock.advance(500)
  assert.is(house.health('lock').waiting, 0)
})

test('a clock that is set makes no intent older, and no younger', async (house) => {
  await house.start('lock')
  house.chain.held = []
  await house.say(lock(job(1)))
  for (const byMs of [3_600_000, -7_200_000]) {
    house.clock.jump(byMs)
    await house.clock.advance(1_000)
  }
  assert.is(house.health('lock').oldestMs, 2_000)
  house.chain.release()
})

test('a chain that is down is noticed by an idle lane, and its return at once', async (house) => {
  await house.start('lock')
  house.chain.down = true
  await house.clock.advance(6_000)
  const { heldUp } = house.health('lock')
  assert.is(heldUp?.by, 'chain')
  assert.ok(heldUp && heldUp.forMs >= 4_000 && heldUp.forMs <= 6_000, `${heldUp?.forMs}`)
  house.chain.down = false
  await house.clock.advance(2_000)
  assert.is(house.health('lock').heldUp, null)
})

test('a node that takes a question and never answers counts as down, and the log says so once', async (house) => {
  const warned: string[] = []
  const warn = (_about: unknown, words: string) => warned.push(words)
  const log = Object.assign(Object.create(makeLog('test', 'silent')), { warn })
  await house.start('lock', { log })
  let answer = (): void => {}
  house.chain.head = () => new Promise((resolve) => (answer = () => resolve(undefined as never)))
  await house.clock.advance(6_000)
  assert.is(house.health('lock').heldUp?.by, 'chain')
  assert.equal(warned, ['lane: the node is slow to tell its head'])
  answer()
  await house.clock.advance(500)
  assert.is(house.health('lock').heldUp, null)
})

test('a lane that cannot even begin says so, with what waits for it', async (house) => {
  house.chain.down = true
  await house.start('lock')
  await house.clock.advance(3_000)
  await house.say(lock(job(1)))
  await house.clock.advance(4_000)
  await house.say(lock(job(1)), lock(job(2)))
  await house.clock.advance(1_000)
  assert.is(house.health('lock').heldUp?.by, 'chain')
  assert.is(house.health('lock').waiting, 2)
  assert.is(house.health('lock').oldestMs, 5_000)
  house.chain.down = false
  await house.clock.advance(2_000)
  assert.is(house.health('lock').waiting, 0)
})

for (const [by, error] of [
  ['gas_funds', new GasFundsMissing('0x… holds 0')],
  ['signer', new SignerUnavailable('the signer does not answer')],
] as const) {
  test(`${by}: told by its name while other questions are answered, goes on by itself`, async (house) => {
    let fails = true
    const sign = house.chain.sign.bind(house.chain)
    house.chain.sign = async (...of) => {
      if (fails) throw error
      return sign(...of)
    }
    await house.start('lock')
    await house.say(lock(job(1)))
    await house.clock.advance(9_000)
    const { heldUp } = house.health('lock')
    assert.is(heldUp?.by, by)
    assert.ok(heldUp && heldUp.forMs > 8_000)
    fails = false
    await house.clock.advance(1_500)
    assert.equal(house.heard(), ['ConfirmLock 1 1'])
    assert.is(house.health('lock').heldUp, null)
  })
}

test('the cap on settlements holds the lane up for as long as it is met', async (house) => {
  await house.start('settle')
  await house.seedLocks(1)
  house.chain.capped.add(job(1))
  for (let i = 0; i < 20; i++) {
    await house.say(settle(job(1)))
    await house.clock.advance(3_000)
  }
  const { heldUp } = house.health('settle')
  assert.is(heldUp?.by, 'settle_cap')
  assert.ok(heldUp && heldUp.forMs > 50_000)
  house.chain.capped.clear()
  for (let i = 0; i < 20; i++) {
    await house.say(settle(job(1)))
    await house.clock.advance(3_000)
  }
  assert.is(house.health('settle').heldUp, null)
})

test('a lane that has ended says nothing more', async (house) => {
  const lane = await house.start('lock')
  await house.stop(lane)
  const before = house.healths.length
  await house.clock.advance(3_000)
  assert.is(house.healths.length, before)
})

Healths.run()
