import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { TransactionRefused } from '../../../src/ports/escrow.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { job, lock } from '../../fakes/chain/intents.ts'
import { inLaneHouse, type LaneHouse } from '../../fakes/chain/lane-house.ts'

/** A node that does not take a transaction, in words that nobody here knows. Each test has a house of its own. */
const Refused = suite('lane: refused in unknown words')
const test = inLaneHouse(Refused)

const WORDS = 'the moon is too full'

/** What was refused stays so until `takes` says otherwise; it hears how many others were refused before. */
function refuseUntil(house: LaneHouse, takes: (others: number) => boolean) {
  const { chain } = house
  const send = chain.send.bind(chain)
  const refused = new Set<string>()
  chain.send = async (lane, offer, broadcast) => {
    const { raw } = offer.transaction
    if (takes(refused.size - (refused.has(raw) ? 1 : 0))) return send(lane, offer, broadcast)
    refused.add(raw)
    throw new TransactionRefused(WORDS)
  }
  return refused
}

/** A log, and what is said in it at `error`. */
function heardLog() {
  const errors: string[] = []
  const error = (_about: unknown, words: string) => errors.push(words)
  return { errors, log: Object.assign(Object.create(makeLog('test', 'silent')), { error }) }
}

test('for some seconds: the same bytes, once more', async (house) => {
  const { errors, log } = heardLog()
  let takes = false
  const refused = refuseUntil(house, () => takes)
  await house.start('lock', { log })
  await house.say(lock(job(1)), lock(job(2)))
  await house.clock.advance(10_000)
  takes = true
  await house.clock.advance(2_000)
  assert.is(refused.size, 1)
  assert.equal(house.batches(), ['lock 1 2'])
  assert.equal(errors, [])
})

test('its size may be meant: the batch is halved, and nothing is lost', async (house) => {
  const refused = refuseUntil(house, (others) => others === 2)
  await house.start('lock')
  await house.say(...[1, 2, 3, 4].map((n) => lock(job(n))))
  await house.clock.advance(60_000)
  assert.is(refused.size, 2)
  assert.equal(house.batches(), ['lock 1', 'lock 2', 'lock 3 4'], 'what follows is taken as it is')
  assert.equal(house.heard().length, 4)
})

test('its fee may be meant: more is offered, three times and not for ever', async (house) => {
  const { chain } = house
  chain.replacements = 100
  let takes = false
  const refused = refuseUntil(house, () => takes)
  await house.start('lock')
  await house.say(lock(job(1)))
  await house.clock.advance(20_000)
  assert.is(refused.size, 2)
  await house.clock.advance(600_000)
  assert.is(refused.size, 4)
  assert.is(house.health('lock').heldUp?.by, 'chain')
  takes = true
  await house.clock.advance(2_000)
  assert.equal(house.batches(), ['lock 1'])
  assert.is(house.health('lock').heldUp, null)
})

test('the operator is told what the node says, once a minute', async (house) => {
  const { errors, log } = heardLog()
  refuseUntil(house, () => false)
  await house.start('lock', { log })
  await house.say(lock(job(1)))
  await house.clock.advance(14_000)
  assert.equal(errors, [])
  await house.clock.advance(30_000)
  assert.equal(errors, [`lane: the node does not take a transaction: ${WORDS}`])
  await house.clock.advance(180_000)
  assert.is(errors.length, 4)
})

Refused.run()
