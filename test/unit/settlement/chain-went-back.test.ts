import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { RegisterReply } from '../../../src/messages/lane.ts'
import { type Lane, SUBJECTS } from '../../../src/messages/subjects.ts'
import type { FakeChain } from '../../fakes/chain/fake-chain.ts'
import { dispute, job, lock, refund, settle, WALLET } from '../../fakes/chain/intents.ts'
import { inLaneHouse, type LaneHouse } from '../../fakes/chain/lane-house.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'

/** A chain that loses its last blocks, when nobody asks for anything any more. */
const WentBack = suite('chain went back')
const test = inLaneHouse(WentBack)

const sorted = (house: LaneHouse) => house.batches().slice().sort()

test('lanes with nothing to do notice, and send again what was lost', async (house) => {
  await house.start('lock')
  await house.start('settle')
  await house.say(lock(job(1)), lock(job(2)))
  await house.say(settle(job(1)), refund(job(2)))
  assert.equal(sorted(house), ['lock 1 2', 'refund 2', 'settle 1'])
  house.chain.goBack(0)
  await house.clock.advance(3_000)
  assert.equal(sorted(house), [
    'lock 1 2',
    'lock 1 2',
    'refund 2',
    'refund 2',
    'settle 1',
    'settle 1',
  ])
  assert.equal(await ends(house), ['settled', 'refunded'])
})

test('a lock that is gone with its nonce goes anew, once a lane looks behind itself', async (house) => {
  const { chain } = house
  const lane = await house.start('lock')
  await house.say(lock(job(1)))
  await house.say(lock(job(2)))
  chain.goBack(0)
  stealNonces(chain, 'lock', 2)
  await house.clock.advance(1_000)
  assert.equal(house.batches(), ['lock 1', 'lock 2'], 'a node that lags is given its time')
  await house.clock.advance(4_000)
  assert.equal(sorted(house), ['lock 1', 'lock 2', 'lock 2 1'])

  // The same where another host comes to own the lane.
  await house.stop(lane)
  chain.goBack(0)
  stealNonces(chain, 'lock', 3)
  await house.start('lock')
  await house.clock.advance(4_000)
  assert.equal(house.batches().slice(3), ['lock 2 1'])
})

test('a lock that its job has asked for again does not hide the older ones', async (house) => {
  const { chain } = house
  await house.start('lock')
  await house.say(lock(job(1)))
  await house.say(lock(job(2)))
  chain.goBack(0)
  stealNonces(chain, 'lock', 2)
  await house.clock.advance(1_200)
  await house.say(lock(job(2)))
  assert.equal(house.batches(), ['lock 1', 'lock 2', 'lock 2'])
  await house.clock.advance(4_000)
  assert.equal(house.batches().slice(3), ['lock 1'])
})

test('a lock that is gone with its nonce goes anew, though another has come since', async (house) => {
  const { chain } = house
  await house.start('lock')
  await house.say(lock(job(1)))
  chain.goBack(0)
  stealNonces(chain, 'lock', 1)
  await house.say(lock(job(2)))
  assert.equal(house.batches(), ['lock 1', 'lock 2'])
  await house.clock.advance(5_000)
  assert.equal(house.batches().slice(2), ['lock 1'])
})

test('a node that has kept no receipt makes nothing go twice', async (house) => {
  const { chain } = house
  const lane = await house.start('lock')
  await house.say(lock(job(1)))
  chain.forgetReceipts()
  await house.stop(lane)
  await house.start('lock')
  await house.clock.advance(5_000)
  assert.equal(house.batches(), ['lock 1'], 'no receipt, and yet it has happened')
})

test('a registration that is gone with its nonce goes anew', async (house) => {
  const { chain } = house
  await house.start('settle')
  const wish = { signer: WALLET, payee: WALLET, signature: settle(job(1)).signature }
  await house.bus.request<RegisterReply>(SUBJECTS.workerRegister, wish, 1_000)
  chain.goBack(0)
  stealNonces(chain, 'settle', 1)
  await house.clock.advance(5_000)
  assert.equal(house.batches(), ['register', 'register'])
})

test('the settle lane waits for locks that come back after it', async (house) => {
  const locks = await house.start('lock')
  await house.start('settle')
  await house.say(lock(job(1)), lock(job(2)))
  await house.say(settle(job(1)), refund(job(2)))
  await house.stop(locks)
  house.chain.goBack(0)
  await house.clock.advance(5_000)
  assert.equal(await ends(house), [undefined, undefined], 'nothing is sent ahead of its lock')
  await house.start('lock')
  await house.clock.advance(3_000)
  assert.equal(await ends(house), ['settled', 'refunded'])
})

test('a settlement asked for before its lost lock is back is not refused', async (house) => {
  const locks = await house.start('lock')
  await house.say(lock(job(1)))
  await house.stop(locks)
  house.chain.goBack(0)
  await house.start('settle')
  house.heard()
  await house.say(settle(job(1)))
  assert.equal(house.heard(), [], 'the job asks again')
  await house.start('lock')
  await rest()
  await house.say(settle(job(1)))
  assert.equal((await ends(house))[0], 'settled')
})

for (const [kind, end] of Object.entries({ settled: settle(job(1)), refunded: refund(job(1)) })) {
  test(`${end.type} passed over just before its lost lock came back is not refused`, async (house) => {
    await house.start('settle')
    const look = holdFirst(house.chain, 'lock')
    await house.say(end)
    await house.start('lock')
    await house.say(lock(job(1)))
    house.heard()
    look()
    await rest()
    assert.equal(house.heard(), [], 'the job asks again')
    await house.say(end)
    assert.equal((await ends(house))[0], kind)
  })
}

test('a settlement that was told, and came back just before its lock, is sent again', async (house) => {
  const locks = await house.start('lock')
  await house.start('settle')
  await house.say(lock(job(1)))
  await house.say(settle(job(1)))
  await house.stop(locks)
  const locked = (await house.chain.jobFacts(job(1))).filter(({ type }) => type === 'locked')
  house.chain.goBack(0)
  // The block that passes the settlement over holds the lock as well, after it.
  house.chain.jobFacts = async () => locked
  await house.clock.advance(3_000)
  assert.equal(house.batches(), ['lock 1', 'settle 1', 'settle 1'])
  delete (house.chain as Partial<FakeChain>).jobFacts
  await house.start('lock')
  await house.say(settle(job(1)))
  assert.equal((await ends(house))[0], 'settled')
})

test('a lock that came back too soon is sent again for a job that is answered', async (house) => {
  await house.start('lock')
  await house.start('settle')
  house.chain.poor.add(WALLET)
  await house.say(lock(job(1)))
  house.heard()
  await house.say(settle(job(1)))
  assert.equal(house.heard(), ['RefuseSettlement 1 NotLocked'])
  // An earlier settlement has returned its credits.
  house.chain.poor.clear()
  await house.say(lock(job(1)))
  assert.equal(house.heard(), ['RefuseLock 1 InsufficientCredits'], 'told from memory')
  await house.say(lock(job(1), { again: true }))
  await house.say(settle(job(1)))
  assert.equal((await ends(house))[0], 'settled')
})

test('a lock that was returned is not waited for', async (house) => {
  await house.start('settle')
  await house.seedLocks(1)
  await house.say(refund(job(1)))
  house.heard()
  await house.say(settle(job(1)))
  assert.equal(house.heard(), ['RefuseSettlement 1 LockReturned'])
})

for (const [what, heard] of Object.entries({
  'was returned': 'RefuseSettlement 1 LockReturned',
  'is nowhere': 'RefuseSettlement 1 NotLocked',
})) {
  test(`a lock that ${what} is not hoped for as long as others are on their way`, async (house) => {
    const { chain } = house
    await house.start('settle')
    if (what === 'was returned') {
      await house.seedLocks(1)
      await house.say(refund(job(1)))
    }
    chain.stuck = async () => !isOf(chain.sent.at(-1), 'lock') || new Promise(() => {})
    await house.start('lock')
    await house.say(lock(job(2)))
    house.heard()
    await house.say(settle(job(1)))
    assert.equal(house.heard(), [heard])
  })
}

test('an end that was told before the chain went back is not told from memory', async (house) => {
  await house.start('settle')
  await house.seedLocks(2)
  await house.say(refund(job(1)), settle(job(2)), dispute(job(2)))
  house.heard()
  // The chain has lost them, and passed over them when they came back before the locks.
  house.chain.undoEnds()
  await house.say(refund(job(1)), dispute(job(2)))
  assert.equal(house.batches().slice(-2).sort(), ['dispute 2', 'refund 1'])
})

/** The first question for the nonce of `lane` gets its answer, of that moment, when this is called. */
function holdFirst(chain: LaneHouse['chain'], lane: Lane): () => void {
  const nonce = chain.nonce.bind(chain)
  let answer = (): void => {}
  const asked = new Promise<void>((resolve) => {
    answer = resolve
  })
  let isFirst = true
  chain.nonce = async (of) => {
    if (of === lane && isFirst) {
      isFirst = false
      await asked
    }
    return nonce(of)
  }
  return answer
}

const isOf = (sent: string | undefined, lane: Lane): boolean =>
  Buffer.from(sent?.slice(2) ?? '', 'hex')
    .toString()
    .startsWith(lane)

const stealNonces = (chain: FakeChain, lane: Lane, count: number): void => {
  for (let i = 0; i < count; i++) chain.stealNonce(lane)
}

const ends = (house: LaneHouse) =>
  Promise.all(
    [job(1), job(2)].map(async (id) => {
      const facts = await house.chain.jobFacts(id)
      return facts.find(({ type }) => type === 'settled' || type === 'refunded')?.type
    }),
  )

WentBack.run()
