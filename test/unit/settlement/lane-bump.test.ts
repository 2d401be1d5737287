import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dispute, job, lock, refund, settle } from '../../fakes/chain/intents.ts'
import { inLaneHouse, type LaneHouse } from '../../fakes/chain/lane-house.ts'

/** Transactions that do not get into a block by themselves. Each test has a house of its own. */
const Bumps = suite('lane: fee bumps')
const test = inLaneHouse(Bumps)

/** Blocks go by without the first `count` attempts. */
function stuckFor(house: LaneHouse, count: number): void {
  let left = count
  house.chain.stuck = async () => left-- <= 0
}
/** The lane's records at one nonce: how many earlier attempts each knows. */
const attempts = (house: LaneHouse, subject: string) =>
  house.journal.records
    .filter((record) => record.subject === subject)
    .map(({ body }) => body as { type: string; earlier?: readonly string[] })
    .filter(({ type }) => type === 'transaction')
    .map(({ earlier }) => earlier?.length ?? 0)
const hashesTold = (house: LaneHouse) =>
  house.told.flatMap((command) => ('tx' in command ? [command.tx] : []))

test('a stuck transaction is replaced, each attempt stored before it is sent', async (house) => {
  stuckFor(house, 2)
  const storedAtSend: number[] = []
  house.chain.onSend = () => storedAtSend.push(attempts(house, 'tx.lock.0').length)
  await house.start('lock')
  await house.say(lock(job(1)))
  assert.equal(attempts(house, 'tx.lock.0'), [0, 1, 2])
  assert.equal(storedAtSend, [1, 2, 3])
  assert.is(new Set(house.chain.sent).size, 3)
  assert.equal(house.batches(), ['lock 1'])
  assert.equal(house.heard(), ['ConfirmLock 1 1'])
})

for (const kind of ['settle', 'refund', 'dispute'] as const) {
  test(`${kind}: the hash that was mined is the one that is told in the end`, async (house) => {
    await house.start('settle')
    await house.seedLocks(1)
    if (kind === 'dispute') await house.say(settle(job(1)))
    house.heard()
    stuckFor(house, 1)
    await house.say({ settle, refund, dispute }[kind](job(1)))
    const mined = (await house.chain.jobFacts(job(1))).at(-1)?.tx
    if (kind !== 'settle') assert.is(hashesTold(house).at(-1), mined)
    if (kind !== 'settle') assert.is.not(hashesTold(house)[0], mined, 'at broadcast, the first one')
    assert.is(house.chain.included.length, kind === 'dispute' ? 3 : 2, 'once')
  })
}

test('the older attempt is mined after all: its receipt is found, its hash told', async (house) => {
  let sends = 0
  house.chain.stuck = async () => {
    if (++sends === 2) house.chain.include(house.chain.sent[0]!)
    return false
  }
  await house.start('lock')
  await house.say(lock(job(1)))
  const [mined] = await house.chain.jobFacts(job(1))
  assert.equal(hashesTold(house), [mined?.tx])
  assert.equal(house.batches(), ['lock 1'])
  house.chain.stuck = undefined
  await house.say(lock(job(2)))
  assert.equal(house.batches(), ['lock 1', 'lock 2'])
})

test('a crash between writing and sending a replacement: the next owner sends it', async (house) => {
  house.chain.stuck = async () => false
  house.journal.onAppended = ({ body }) => {
    if ((body as { earlier?: unknown }).earlier) house.chain.down = true
  }
  const first = await house.start('lock')
  await house.say(lock(job(1)))
  await house.stop(first)
  assert.is(house.chain.sent.length, 1)
  house.journal.onAppended = () => {}
  house.chain.down = false
  house.chain.stuck = undefined
  await house.start('lock')
  assert.is(house.chain.signed, 2, 'nothing is signed a third time')
  assert.is.not(house.chain.sent[1], house.chain.sent[0])
  assert.equal(house.heard(), ['ConfirmLock 1 1'])
})

test('a crash before a replacement is written: the next owner begins with the former', async (house) => {
  house.chain.stuck = async () => {
    house.chain.down = true
    return false
  }
  const first = await house.start('lock')
  await house.say(lock(job(1)))
  await house.stop(first)
  assert.equal(attempts(house, 'tx.lock.0'), [0])
  house.chain.down = false
  house.chain.stuck = undefined
  await house.start('lock')
  assert.is(house.chain.sent.at(-1), house.chain.sent[0])
  assert.equal(house.heard(), ['ConfirmLock 1 1'])
})

test('a crash after a replacement was sent, and the former is mined meanwhile', async (house) => {
  let sends = 0
  house.chain.stuck = async () => {
    if (++sends === 2) house.chain.down = true
    return false
  }
  const first = await house.start('lock')
  await house.say(lock(job(1)))
  await house.stop(first)
  assert.is(house.chain.sent.length, 2)
  house.chain.include(house.chain.sent[0]!)
  house.chain.down = false
  house.chain.stuck = undefined
  await house.start('lock')
  await house.say(lock(job(1)))
  assert.equal(house.heard(), ['ConfirmLock 1 1'])
  assert.not.ok(
    (await house.chain.jobFacts(job(1))).length > 2,
    'at most one more try, passed over',
  )
})

test('two owners bump at once: one of them is refused by the outbox', async (house) => {
  let release = (): void => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  house.chain.stuck = async () => {
    await gate
    return house.chain.sent.length > 2
  }
  await house.start('lock')
  await house.say(lock(job(1)))
  await house.start('lock') // reads the stored transaction, and sends it too
  release()
  await house.clock.advance(2_000)
  assert.equal(house.batches(), ['lock 1'])
  assert.ok(attempts(house, 'tx.lock.0').every((earlier, i) => earlier === i))
})

test('the cap: no further attempt, told as what holds the lane up, until it is mined', async (house) => {
  house.chain.replacements = 1
  house.chain.stuck = async () => {
    await new Promise<void>((resolve) => house.clock.after(15_000, resolve))
    return house.chain.replacements > 5
  }
  await house.start('lock')
  await house.say(lock(job(1)))
  await house.clock.advance(100_000)
  assert.is(house.chain.signed, 2)
  assert.is(house.health('lock').heldUp?.by, 'fee_cap')
  assert.ok(house.health('lock').oldestMs >= 100_000)
  house.chain.replacements = 10 // the operator raises it, the chain includes it
  await house.clock.advance(20_000)
  assert.equal(house.heard(), ['ConfirmLock 1 1'])
  assert.is(house.health('lock').heldUp, null)
  assert.is(house.health('lock').waiting, 0)
})

test('after bumps, a chain that went back gets the newest attempt again', async (house) => {
  stuckFor(house, 1)
  await house.start('lock')
  await house.say(lock(job(1)))
  const { signed } = house.chain
  house.chain.goBack(0)
  await house.clock.advance(2_000)
  assert.is(house.chain.signed, signed, 'the stored bytes')
  assert.equal(house.batches(), ['lock 1', 'lock 1'])
})

test('blocks have become smaller: a batch goes in parts, before anything is signed', async (house) => {
  await house.start('lock')
  house.chain.held = []
  await house.say(lock(job(9)))
  await house.say(...[1, 2, 3, 4, 5].map((n) => lock(job(n))))
  house.chain.itemsMax = () => 100 // what the lane knows is old
  house.chain.fits = 2
  house.chain.release()
  await house.clock.advance(100)
  assert.equal(house.batches(), ['lock 9', 'lock 1 2', 'lock 3', 'lock 4 5'])
})

test('the node has no room for a batch: it is halved at its nonce, nothing is lost', async (house) => {
  await house.start('lock')
  house.chain.roomFor = 2
  await house.say(...[1, 2, 3, 4].map((n) => lock(job(n))))
  assert.equal(house.batches(), ['lock 1 2', 'lock 3 4'])
  assert.equal(attempts(house, 'tx.lock.0'), [0, 1], 'the former attempt is kept')
  assert.equal(house.heard().length, 4)
})

test('blocks are known to have become so small that half of it is too much: it is halved again', async (house) => {
  const { chain } = house
  await house.start('lock')
  chain.onSend = () => {
    chain.roomFor = 2
    chain.fits = 1
  }
  await house.say(...[1, 2, 3, 4].map((n) => lock(job(n))))
  await house.clock.advance(2_000)
  assert.equal(house.batches(), ['lock 1', 'lock 2', 'lock 3', 'lock 4'])
  assert.equal(attempts(house, 'tx.lock.0'), [0, 1], 'nothing is stored that is not sent')
  assert.equal(house.heard().length, 4)
})

test('a larger, former attempt is mined after all: its receipt is found, the rest asks the chain', async (house) => {
  const { chain } = house
  chain.stuck = async () => false
  chain.onSend = () => {
    if (chain.sent.length === 2) chain.roomFor = 1
    if (chain.sent.length < 3) return
    chain.include(chain.sent[0]!)
    chain.stuck = undefined
    chain.onSend = () => {}
  }
  await house.start('lock')
  await house.say(lock(job(1)), lock(job(2)))
  await house.clock.advance(5_000)
  assert.equal(attempts(house, 'tx.lock.0'), [0, 1, 2])
  assert.equal(house.batches(), ['lock 1 2', 'lock 2'])
  const [mined] = await chain.jobFacts(job(1))
  assert.is(hashesTold(house).at(0), mined?.tx)
  assert.equal([...new Set(house.heard())].sort(), ['ConfirmLock 1 1', 'ConfirmLock 2 1'])
})

test('no more held up by the cap, and stuck once more: that is over once it is mined', async (house) => {
  house.chain.replacements = 0
  let isIncluded = false
  house.chain.stuck = async () => {
    await new Promise<void>((resolve) => house.clock.after(15_000, resolve))
    return isIncluded
  }
  await house.start('lock')
  await house.say(lock(job(1)))
  await house.clock.advance(20_000)
  assert.is(house.health('lock').heldUp?.by, 'fee_cap')
  house.chain.replacements = 100
  await house.clock.advance(15_000)
  assert.is(house.health('lock').heldUp, null)
  house.chain.replacements = 0
  await house.clock.advance(15_000)
  assert.is(house.health('lock').heldUp?.by, 'fee_cap')
  isIncluded = true
  await house.clock.advance(15_000)
  assert.is(house.health('lock').heldUp, null)
  assert.equal(house.heard(), ['ConfirmLock 1 1'])
})

test('the node has no room for one item alone: it waits as it is, until there is', async (house) => {
  await house.start('lock')
  house.chain.roomFor = 0
  await house.say(lock(job(1)), lock(job(2)))
  await house.clock.advance(5_000)
  assert.equal(house.batches(), [])
  assert.is(house.health('lock').heldUp?.by, 'chain')
  house.chain.roomFor = 1
  await house.clock.advance(1_000)
  assert.equal(house.batches(), ['lock 1', 'lock 2'])
  assert.is(house.health('lock').heldUp, null)
})

test('a batch knows what it may hold', async (house) => {
  house.chain.fits = 2
  await house.start('lock')
  await house.say(...[1, 2, 3].map((n) => lock(job(n))))
  assert.equal(house.batches(), ['lock 1 2', 'lock 3'])
  assert.is(house.chain.signed, 2)
})

Bumps.run()
