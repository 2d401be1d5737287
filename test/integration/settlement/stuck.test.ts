import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Hex } from '../../../src/ports/escrow.ts'
import { type LocalChain, SIGNERS, startChain } from '../../fakes/chain/anvil.ts'
import { LaneOnAnvil } from '../../fakes/chain/lane-on-anvil.ts'
import { until } from '../../until.ts'

/** Transactions that a real node does not include, drops, or refuses. */
const Stuck = suite('stuck transactions on a real chain')
const LOCKER = SIGNERS.lock.address
const TERMS = { stuckMs: 500 }

let local: LocalChain
let house: LaneOnAnvil | undefined

Stuck.before(async () => {
  local = await startChain(1_000_000n)
})
Stuck.before.each(async () => {
  await local.rpc.call('evm_setAutomine', [false])
  await local.rpc.call('anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00'])
  await local.rpc.call('evm_mine', [])
})
Stuck.after.each(async () => {
  await house?.end()
  house = undefined
  await local.rpc.call('anvil_dropAllTransactions', [])
})
Stuck.after(() => local?.stop())

const minedHash = async (hash: string) =>
  (await local.rpc.call<{ blockNumber: string | null } | null>('eth_getTransactionReceipt', [hash]))
    ?.blockNumber
const pooled = async (hash: string) =>
  (await local.rpc.call<object | null>('eth_getTransactionByHash', [hash])) !== null
/** A base fee that outruns every attempt. */
function rising(): () => number {
  let gwei = 50
  return () => {
    gwei *= 1.4
    return gwei
  }
}
const sentOne = (count = 1) =>
  until(`attempt ${count} in the pool`, async () => {
    const last = house!.attempts()[count - 1]
    return last !== undefined && (await pooled(last.hash))
  })

Stuck(
  'the base fee rises above what was offered: more is offered, the mined hash told',
  async () => {
    house = await LaneOnAnvil.start(local, TERMS)
    const jobs = house.newJobs(3)
    house.ask(jobs)
    await sentOne()
    const stop = house.mineDearly(() => 50)
    const [told] = await house.locked(jobs)
    await stop()
    const attempts = house.attempts()
    assert.ok(attempts.length > 1)
    assert.is.not(told, attempts[0]!.hash)
    assert.ok(attempts.some(({ hash }) => hash === told))
    assert.ok(await minedHash(told!))
    assert.equal(
      attempts.at(-1)!.earlier,
      attempts.slice(0, -1).map(({ hash }) => hash),
      'all attempts are kept',
    )
  },
)

Stuck('without blocks nothing more is offered: higher fees would not help', async () => {
  house = await LaneOnAnvil.start(local, TERMS)
  const jobs = house.newJobs(1)
  house.ask(jobs)
  await sentOne()
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  assert.is(house.attempts().length, 1)
  await house.mine()
  await house.locked(jobs)
})

Stuck('a node that forgets its pool gets the newest attempt again', async () => {
  house = await LaneOnAnvil.start(local, TERMS)
  const jobs = house.newJobs(1)
  house.ask(jobs)
  await sentOne()
  await local.rpc.call('anvil_dropAllTransactions', [])
  await sentOne()
  const stop = house.mineDearly(rising())
  await until('a second attempt', () => house!.attempts().length > 1)
  await stop()
  await local.rpc.call('anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00'])
  // The last of the dear blocks may have set off one more.
  const newest = () => house!.attempts().at(-1)!.hash
  await until('the newest attempt to be dropped', async () => {
    return (await local.rpc.call('anvil_dropTransaction', [newest()])) !== null
  })
  await until('the newest attempt again', () => pooled(newest()))
  await house.mine()
  assert.equal(await house.locked(jobs), [newest()])
})

Stuck('an older attempt is mined after all: its hash is told', async () => {
  house = await LaneOnAnvil.start(local, TERMS)
  const jobs = house.newJobs(1)
  house.ask(jobs)
  await sentOne()
  const stop = house.mineDearly(rising())
  await until('a second attempt', () => house!.attempts().length > 1)
  await stop()
  await house.end() // nobody offers the newest again meanwhile
  const [older] = house.attempts()
  await local.rpc.call('anvil_dropAllTransactions', [])
  await local.rpc.call('anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00'])
  await local.rpc.call('evm_mine', [])
  await local.rpc.call('eth_sendRawTransaction', [older!.raw])
  await house.mine()
  assert.ok(await minedHash(older!.hash))
  await house.begin()
  house.ask(jobs)
  // Where nobody remembers the job, its lock is tried again, and the chain tells of the older one.
  const stopBlocks = house.mineDearly(() => 1)
  assert.equal(await house.locked(jobs), [older!.hash])
  await stopBlocks()
})

Stuck('two attempts, and the lane ends at any moment: each job is locked once', async () => {
  house = await LaneOnAnvil.start(local, TERMS)
  const jobs = house.newJobs(5)
  house.ask(jobs)
  await sentOne()
  const stop = house.mineDearly(() => 30)
  for (let i = 0; i < 6; i++) {
    await new Promise((resolve) => setTimeout(resolve, 150 + i * 90))
    await house.end()
    await house.begin()
    house.ask(jobs)
  }
  const told = await house.locked(jobs)
  await stop()
  assert.is(new Set(told).size, 1, 'one transaction')
  for (const jobId of jobs) {
    assert.not.ok(house.told.get(jobId)?.some(({ type }) => type === 'RefuseLock'))
  }
})

Stuck('the cap on fees: said, not passed, and no lasting harm', async () => {
  house = await LaneOnAnvil.start(local, { ...TERMS, maxFeeWei: 5_000_000_000n })
  const jobs = house.newJobs(1)
  house.ask(jobs)
  await sentOne()
  let baseFeeGwei = 50
  const stop = house.mineDearly(() => baseFeeGwei)
  await until('the cap', () => house!.health?.heldUp?.by === 'fee_cap')
  const { length } = house.attempts()
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  assert.is(house.attempts().length, length, 'nothing more is signed')
  baseFeeGwei = 1
  await house.locked(jobs)
  await until('well again', () => house!.health?.heldUp === null)
  await stop()
})

Stuck('no coin for gas: said with the address, goes on by itself once funded', async () => {
  const before = await local.rpc.call<Hex>('eth_getBalance', [LOCKER, 'latest'])
  await local.rpc.call('anvil_setBalance', [LOCKER, '0x1'])
  try {
    house = await LaneOnAnvil.start(local, TERMS)
    const jobs = house.newJobs(2)
    house.ask(jobs)
    await until('the trouble', () => house!.health?.heldUp?.by === 'gas_funds')
    await local.rpc.call('anvil_setBalance', [LOCKER, before])
    await sentOne()
    await house.mine()
    await house.locked(jobs)
  } finally {
    await local.rpc.call('anvil_setBalance', [LOCKER, before])
  }
})

Stuck('blocks become small: batches are split until they fit', async () => {
  const { gasLimit } = await local.rpc.call<{ gasLimit: Hex }>('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  try {
    house = await LaneOnAnvil.start(local, TERMS)
    const [first, ...rest] = house.newJobs(121)
    house.ask([first!])
    await sentOne()
    await local.rpc.call('evm_setBlockGasLimit', ['0x200000'])
    await house.mine()
    house.ask(rest)
    const stop = house.mineDearly(() => 1)
    await house.locked([first!, ...rest])
    await stop()
    assert.ok(house.attempts().length > 3, 'the rest went in several')
  } finally {
    await local.rpc.call('evm_setBlockGasLimit', [gasLimit])
  }
})

Stuck('another program uses the key: the lane goes on behind it', async () => {
  house = await LaneOnAnvil.start(local, TERMS)
  const jobs = house.newJobs(2)
  house.ask(jobs)
  await sentOne()
  const [mine] = house.attempts()
  await local.rpc.call('anvil_dropTransaction', [mine!.hash])
  const nonce = Number(await local.rpc.call<Hex>('eth_getTransactionCount', [LOCKER, 'latest']))
  const foreign = await SIGNERS.lock.sign({
    ...{ chainId: local.contracts.chainId, nonce, to: LOCKER, data: '0x', gas: 21_000n },
    ...{ maxFeePerGas: 90_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
  })
  await local.rpc.call('eth_sendRawTransaction', [foreign.raw])
  await house.mine()
  assert.ok(await minedHash(foreign.hash))
  const repeat = setInterval(() => house?.ask(jobs), 500)
  const stop = house.mineDearly(() => 1)
  try {
    const [told] = await house.locked(jobs)
    assert.is.not(told, mine!.hash)
    assert.ok(await minedHash(told!))
  } finally {
    clearInterval(repeat)
    await stop()
  }
})

Stuck.run()
