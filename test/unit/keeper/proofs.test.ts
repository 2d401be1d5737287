import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toHex32 } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { type EquivocationRecord, equivocationKey } from '../../../src/messages/strikes.ts'
import { job } from '../../fakes/chain/intents.ts'
import { type House, nameOf, openHouse, UNPAID, wallet } from './house.ts'

/** What the keeper does with the proofs that a worker signed two answers to one job. */
const Proofs = suite('keeper: proofs of two answers')

const WHOLE = 10n ** 18n
/** What a pool has written of a worker that signed two answers to the n-th job. */
function proofOf(n: number, workerId = 1): [string, EquivocationRecord] {
  const [worker, jobId] = [wallet(workerId), job(n)]
  const signed = (digit: string) => ({
    outputHash: toHex32(`0x${digit.repeat(64)}`),
    outputTokens: 3,
    completedAt: 1_800_000_000,
    signature: { r: toHex32(`0x${digit.repeat(64)}`), vs: toHex32(`0x${digit.repeat(64)}`) },
  })
  const completions = [signed('a'), signed('b')] as const
  const record = { worker, workerId, jobId, completions, at: toUnixMs(1_800_000_000_000) }
  return [equivocationKey(worker, jobId), record]
}
const endOf = ({ strikes }: House, key: string) =>
  (strikes.entries.get(key)?.value as EquivocationRecord | undefined)?.closed?.because

Proofs(
  'two signed answers: the proof is sent once, and done with once the chain says so',
  async () => {
    const house = openHouse()
    house.chain.stakes.set(1, WHOLE)
    const [early, earlyProof] = proofOf(1)
    await house.strikes.set(early, earlyProof)
    await house.keep()
    assert.equal(house.made(), ['prove_equivocation 1'])
    const [late, lateProof] = proofOf(2)
    await house.strikes.set(late, lateProof)
    await house.pass(2)
    assert.equal(house.made(), ['prove_equivocation 2'])
    await house.pass(60)
    assert.equal(house.made(), [])
    assert.equal([endOf(house, early), endOf(house, late)], ['punished', 'punished'])
  },
)

Proofs('a slash that a reorg took away is made again', async () => {
  const house = openHouse()
  house.chain.stakes.set(1, WHOLE)
  await house.strikes.set(...proofOf(1))
  await house.keep()
  assert.equal(house.made(), ['prove_equivocation 1'])
  house.chain.punished.clear()
  await house.pass(60)
  assert.equal(house.made(), ['prove_equivocation 1'])
})

Proofs('a slash is believed once its block has its confirmations', async () => {
  const house = openHouse()
  house.chain.stakes.set(1, WHOLE)
  house.chain.outcome = () => ({ type: 'needless', reason: 'AlreadyPunished' })
  house.chain.isPunished = async (_worker: number, _job: unknown, block?: number) => block! >= 10
  const [key, proof] = proofOf(1)
  await house.strikes.set(key, proof)
  house.chain.mine(11)
  await house.keep(3)
  await house.pass(60)
  assert.is(endOf(house, key), undefined)
  house.chain.mine(12)
  await house.pass(60)
  assert.is(endOf(house, key), 'punished')
})

Proofs(
  'a slash that took the whole stake is made again, too, where its block is gone',
  async () => {
    const house = openHouse()
    const { chain } = house
    chain.stakes.set(1, WHOLE)
    const [key, proof] = proofOf(1)
    await house.strikes.set(key, proof)
    chain.mine(10)
    // As of the blocks that count it has its stake for long.
    chain.stakeOf = async (_worker, block) =>
      block === undefined && chain.punished.size ? 0n : WHOLE
    chain.isPunished = async (_worker, jobId, block = 0) =>
      block > 11 && chain.punished.has(`1 ${jobId}`)
    await house.keep(3)
    assert.equal(house.made(), ['prove_equivocation 1'])
    chain.mine(12)
    await house.pass(60)
    assert.equal([house.made(), endOf(house, key)], [[], undefined])
    chain.punished.clear()
    await house.pass(60)
    assert.equal(house.made(), ['prove_equivocation 1'])
    chain.mine(20)
    await house.pass(60)
    assert.is(endOf(house, key), 'punished')
  },
)

Proofs('another sent the proof, or the worker has nothing to lose: no gas is spent', async () => {
  const house = openHouse()
  house.chain.stakes.set(1, WHOLE)
  house.chain.stakes.set(2, WHOLE - 1n)
  house.chain.punished.add(`1 ${job(1)}`)
  const [known, poor] = [proofOf(1), proofOf(1, 2)]
  for (const each of [known, poor]) await house.strikes.set(...each)
  await house.keep()
  await house.pass(5)
  assert.equal(house.made(), [])
  assert.is(endOf(house, known[0]), 'punished')
  assert.is(endOf(house, poor[0]), 'nothing_at_stake')
})

Proofs(
  'a proof that the contract will never take is given up and told of, and holds up none',
  async () => {
    const house = openHouse()
    house.chain.stakes.set(1, WHOLE)
    const [bad, good] = [proofOf(1), proofOf(2)]
    for (const each of [bad, good]) await house.strikes.set(...each)
    house.chain.outcome = (call) =>
      nameOf(call) === 1
        ? { type: 'hopeless', reason: 'BadSignature' }
        : { type: 'done', tx: '0x' as never }
    await house.keep()
    await house.pass(5)
    assert.equal(house.made(), ['prove_equivocation 1', 'prove_equivocation 2'])
    assert.is(endOf(house, bad[0]), 'refused')
    assert.is(house.told('warn').length, 1)
  },
)

Proofs(
  'a proof with a time beyond the contract is given up without a call, and holds up none',
  async () => {
    const house = openHouse()
    house.chain.stakes.set(1, WHOLE)
    const [[bad, record], good] = [proofOf(1), proofOf(2)]
    const [first, second] = record.completions
    const completions = [first, { ...second, completedAt: 2 ** 45 }] as const
    await house.strikes.set(bad, { ...record, completions })
    await house.strikes.set(...good)
    await house.keep()
    await house.pass(5)
    assert.equal(house.made(), ['prove_equivocation 2'])
    assert.is(endOf(house, bad), 'refused')
    assert.is(house.told('warn').length, 1)
  },
)

Proofs('a record that was written meanwhile is done with as it is now', async () => {
  const house = openHouse()
  house.chain.punished.add(`1 ${job(1)}`)
  const [key, proof] = proofOf(1)
  await house.strikes.set(key, proof)
  const { isPunished } = house.chain
  house.chain.isPunished = async (...asked) => {
    house.chain.isPunished = isPunished
    // And it is told of at once, before the keeper has written.
    await house.strikes.set(key, { ...proof, at: toUnixMs(proof.at + 1) })
    return isPunished.apply(house.chain, asked)
  }
  await house.keep()
  await house.pass(5)
  assert.is(endOf(house, key), 'punished')
  const kept = house.strikes.entries.get(key)?.value as EquivocationRecord
  assert.is(kept.at, proof.at + 1)
})

Proofs('after a crash: what was dealt with is not sent again, the rest is', async () => {
  const house = openHouse()
  house.chain.stakes.set(1, WHOLE)
  house.chain.outcome = () => UNPAID
  await house.strikes.set(...proofOf(1))
  const keeper = await house.keep()
  assert.equal(house.made(), ['prove_equivocation 1'])
  await keeper.stop()
  house.chain.outcome = () => ({ type: 'done', tx: '0x' as never })
  const next = await house.keep()
  assert.equal(house.made(), ['prove_equivocation 1'])
  await house.pass(60)
  await next.stop()
  await house.keep()
  await house.pass(60)
  assert.equal(house.made(), [])
})

Proofs.run()
