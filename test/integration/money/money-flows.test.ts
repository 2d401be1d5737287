import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeLoader } from '../../../actors/account/loader.ts'
import { type ChainWatcher, makeChainWatcher } from '../../../actors/chain-watcher/watcher.ts'
import { makeWatcherMetrics } from '../../../actors/chain-watcher/watcher-metrics.ts'
import { nameOf } from '../../../src/audit/books/difference.ts'
import { readMoney } from '../../../src/audit/books/read-chain.ts'
import { connectChain as connectAuditor } from '../../../src/audit/chain/connect.ts'
import { type ChainConnection, connectChain } from '../../../src/chain/connect.ts'
import { type ClosableWriter, makeEscrowWriter } from '../../../src/chain/writer.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { type JobId, makeJobId } from '../../../src/domain/ids.ts'
import type { Lane } from '../../../src/messages/subjects.ts'
import type { Batch, ChainFact, Hex } from '../../../src/ports/escrow.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { connectRedis, type Store } from '../../../src/store/connect.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { addressOf, KEYS, type LocalChain, SIGNERS, startChain } from '../../fakes/chain/anvil.ts'
import { applyOne } from '../../fakes/chain/apply-one.ts'
import { CursorRegistry } from '../../fakes/chain/cursor-registry.ts'
import { makeEscrowCaller } from '../../fakes/chain/escrow-caller.ts'
import { GAS_TERMS } from '../../fakes/chain/gas-terms.ts'
import { included } from '../../fakes/chain/included.ts'
import { CLAIMED, lock, refund } from '../../fakes/chain/intents.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { registrationOf, settlementOf } from '../../fakes/chain/signed-work.ts'
import { ToldFacts } from '../../fakes/chain/told-facts.ts'
import { makeWalletCaller, type WalletCaller } from '../../fakes/chain/wallet-caller.ts'
import { noMetrics } from '../../fakes/no-metrics.ts'
import { until } from '../../until.ts'
import { type Server, startRedis } from '../servers.ts'

const WALLET = addressOf(KEYS.wallet)
const START = 10_000n
const THAW_SECONDS = 300
const HOLD_SECONDS = 2 * 600
const salt = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`
const log = makeLog('test', process.env.TEST_LOG ?? 'silent')

let local: LocalChain
let chain: ChainConnection
let writer: ClosableWriter
let redis: Server
let store: Store
let watcher: ChainWatcher
let wallet: WalletCaller
let anyone: WalletCaller
const told = new ToldFacts()

const as = (privateKey: Hex): WalletCaller =>
  makeWalletCaller({ rpcUrl: local.rpcUrl, contracts: local.contracts, privateKey })
const newJob = (): JobId => makeJobId(systemClock.now(), systemClock.randomBytes(16))
const onChain = async () => (await chain.reader.account(WALLET)).available
const inLedger = async (): Promise<bigint | undefined> => {
  const balance = await store.ledger.balance(WALLET)
  return balance === 'unknown_wallet' ? undefined : balance.remaining
}

/** The chain holds `expected`, and the ledger follows without being asked to load anything. */
async function follows(expected: bigint): Promise<void> {
  assert.is(await onChain(), expected, 'on chain')
  await until(`the ledger to tell ${expected}`, async () => (await inLedger()) === expected)
}

async function send(lane: Lane, batch: Batch): Promise<readonly ChainFact[]> {
  const signed = await writer.sign(lane, await writer.nonce(lane), batch)
  return (await included(writer, lane, signed)).facts
}
const lockJob = (jobId: JobId, credits = 8n) =>
  send('lock', {
    type: 'lock',
    items: [lock(jobId, { wallet: WALLET, credits: toCredits(credits) })],
  })
const reasonsOf = (facts: readonly ChainFact[]) =>
  facts.map((fact) => (fact.type === 'skipped' ? fact.reason : fact.type))

const settleOf = (jobId: JobId) => settlementOf(local.contracts, jobId)

async function elapse(seconds: number): Promise<void> {
  await local.rpc.call('evm_increaseTime', [seconds])
  await local.rpc.call('evm_mine', [])
}

/** What the ledger knows is lost, and read again, over and over until `flowing` has ended, however it ends. */
async function losing(lose: () => Promise<unknown>, flowing: () => Promise<void>): Promise<void> {
  const load = makeLoader({ reader: chain.reader, ledger: store.ledger, clock: systemClock })
  let going = true
  const losses = async () => {
    while (going) {
      await lose()
      await load(WALLET)
      await sleep(15)
    }
  }
  const flows = flowing().finally(() => {
    going = false
  })
  const ends = await Promise.allSettled([flows, losses()])
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

const Money = suite('money flows: the ledger follows the chain')

Money.before(async () => {
  ;[local, redis] = await Promise.all([startChain(START), startRedis()])
  const { rpcUrl, contracts } = local
  chain = await connectChain({ rpcUrl, contracts, log })
  writer = makeEscrowWriter({ rpcUrl, contracts, signers: SIGNERS, log, terms: GAS_TERMS })
  store = await connectRedis({ url: redis.url, log })
  wallet = as(KEYS.wallet)
  anyone = as(KEYS.worker)
  const bus = new JobBus()
  bus.subscribe('cmd.*.*.*', (_message, _subject, respond) => respond({ type: 'accepted' }))
  const { deployBlock } = contracts
  const common = { reader: chain.reader, ledger: store.ledger, bus, clock: systemClock, log }
  const registry = new CursorRegistry()
  const load = makeLoader({ reader: chain.reader, ledger: store.ledger, clock: systemClock })
  const tells = { ...told.ports, load }
  watcher = makeChainWatcher({
    metrics: makeWatcherMetrics(noMetrics),
    ...common,
    ...tells,
    registry,
    confirmations: 1,
    deployBlock,
  })
  await watcher.start()
  await load(WALLET)

  const wish = registrationOf(contracts, addressOf(KEYS.worker))
  await send('settle', { type: 'register', items: [wish] })
})

Money('deposits: approved, permitted, authorized, and swept from the deposit address', async () => {
  await follows(START)
  await wallet.deposit(100n)
  await follows(START + 100n)
  await wallet.depositWithPermit(200n)
  await follows(START + 300n)
  await wallet.depositWithAuthorization(300n, salt(1))
  await follows(START + 600n)
  await wallet.payIn(400n * 10_000n + 7n)
  await follows(START + 600n)
  await anyone.sweep(WALLET)
  await follows(START + 1_000n)
  await anyone.depositFor(WALLET, 500n)
  await follows(START + 1_500n)
})

Money('each way in is told as a top-up, once, with what it brought', async () => {
  const added = () =>
    told.told.flatMap((fact) => (fact.type === 'credit.topup' ? [fact.data.credits_added] : []))
  const expected = [Number(START), 100, 200, 300, 400, 500]
  await until('six top-ups', () => added().length >= expected.length)
  assert.equal(added(), expected)
  assert.is(new Set(told.told.map(({ id }) => id)).size, expected.length)
  const [last] = told.told.slice(-1)
  assert.ok(last?.type === 'credit.topup')
  assert.equal(last.data.credits_remaining, Number(START) + 1_500)
})

Money('withdrawals: at once, asked for, taken back, and taken out', async () => {
  const before = await onChain()
  const units = await wallet.balance()
  await wallet.withdraw(250n)
  await follows(before - 250n)
  await wallet.requestWithdrawal(500n)
  await follows(before - 750n)
  await wallet.cancelWithdrawal()
  await follows(before - 250n)
  await wallet.requestWithdrawal(750n)
  await elapse(THAW_SECONDS)
  await wallet.completeWithdrawal()
  await follows(before - 1_000n)
  assert.is(await wallet.balance(), units + 1_000n * 10_000n)
})

Money('jobs in between: locked, settled, refunded, disputed and upheld', async () => {
  const before = await onChain()
  const [paid, back] = [newJob(), newJob()]
  await lockJob(paid, 44n)
  await lockJob(back, 20n)
  await follows(before - 64n)
  await send('settle', { type: 'settle', items: [settleOf(paid)] })
  await send('settle', { type: 'refund', items: [refund(back)] })
  await follows(before - 8n)
  await makeEscrowCaller({ ...local, privateKey: KEYS.wallet }).openDispute(paid, CLAIMED)
  await makeEscrowCaller({ ...local, privateKey: KEYS.arbiter }).resolveDispute(paid, true)
  await follows(before)
})

Money(
  'what running jobs hold is followed too: what a wallet owns is available and locked',
  async () => {
    const [available, jobId] = [await onChain(), newJob()]
    await lockJob(jobId, 30n)
    await follows(available - 30n)
    // Of a block that was applied long ago: it changes nothing, and tells how the wallet stands.
    const old = { wallet: WALLET, block: 0, logIndex: 0, credits: toCredits(0) }
    const owned = async () => {
      const standing = await applyOne(store.ledger, { ...old, kind: 'refunded' })
      return standing === 'unknown_wallet' ? undefined : standing.owned
    }
    assert.is(await owned(), available)
    await store.ledger.forget()
    await makeLoader({ reader: chain.reader, ledger: store.ledger, clock: systemClock })(WALLET)
    assert.is(await owned(), available)
    await send('settle', { type: 'settle', items: [settleOf(jobId)] })
    await follows(available - 8n)
    assert.is(await owned(), available - 8n)
  },
)

Money('a withdrawal that comes before the lock: the chain decides, nothing is lost', async () => {
  const before = await onChain()
  const jobId = newJob()
  const { type } = await store.ledger.reserve({
    ...{ wallet: WALLET, jobId, credits: toCredits(before), at: systemClock.now() },
  })
  assert.is(type, 'reserved')
  await wallet.requestWithdrawal(before)
  await until('nothing left to spend', async () => (await inLedger()) === 0n)
  assert.equal(reasonsOf(await lockJob(jobId, before)), ['InsufficientCredits'])
  await store.ledger.release(WALLET, jobId)
  await follows(0n)
  await wallet.cancelWithdrawal()
  await follows(before)
})

Money("a day's limit and a pause are told as reasons, and move nothing", async () => {
  const before = await onChain()
  await wallet.setSpendLimit(1)
  assert.equal(reasonsOf(await lockJob(newJob())), ['SpendLimitReached'])
  await wallet.setSpendLimit(0)
  const pauser = as(KEYS.pauser)
  await pauser.pause()
  assert.equal(reasonsOf(await lockJob(newJob())), ['Paused'])
  await wallet.withdraw(10n)
  await pauser.unpause()
  assert.equal(reasonsOf(await lockJob(newJob())), ['locked'])
  await follows(before - 18n)
})

Money('a settlement above the cap of the hour is told as such, and settles later', async () => {
  const admin = as(KEYS.deployer)
  const atOnce = 1_000_000n
  await wallet.deposit(2n * atOnce)
  await admin.setSettleCap(atOnce)
  const before = await onChain()
  const [first, second] = [newJob(), newJob()]
  // 800 000 credits each: of the tier `standard`, 4 a thousand tokens.
  const large = (jobId: JobId) =>
    settlementOf(local.contracts, jobId, { outputTokens: 200_000_000 })
  for (const jobId of [first, second]) await lockJob(jobId, 800_000n)
  const items = [large(first), large(second)]
  const facts = await send('settle', { type: 'settle', items })
  assert.equal(reasonsOf(facts), ['settled', 'SettleCapReached'])
  await elapse(3_600)
  const [later] = await send('settle', { type: 'settle', items: items.slice(1) })
  assert.is(later?.type, 'settled')
  await follows(before - 1_600_000n)
})

Money('claims pay worker and treasury, and are no concern of the ledger', async () => {
  await elapse(HOLD_SECONDS)
  const before = await onChain()
  const units = await anyone.balance()
  await anyone.claim(1)
  assert.ok((await anyone.balance()) > units)
  await anyone.claimTreasury()
  await follows(before)
})

Money(
  'Redis is flushed in the middle of it all: what is told is the chain, once read',
  async () => {
    const admin = new Redis(redis.url)
    let expected: bigint = await onChain()
    const flowing = async () => {
      for (let round = 0; round < 4; round++) {
        await wallet.withdraw(50n)
        await lockJob(newJob(), 8n)
        await wallet.requestWithdrawal(30n)
        await wallet.cancelWithdrawal()
        await wallet.depositWithAuthorization(100n, salt(200 + round))
        expected += 100n - 50n - 8n
      }
    }
    await losing(() => admin.flushall(), flowing).finally(() => admin.disconnect())
    await follows(expected)
  },
)

Money('a top-up whose block is lost and comes back is told under one id', async () => {
  const before = await onChain()
  // The last one of the test before may be told only now.
  const topups = () =>
    told.told.filter((fact) => fact.type === 'credit.topup' && fact.data.credits_added === 700)
  const snapshot = await local.rpc.call<Hex>('evm_snapshot', [])
  await wallet.depositWithAuthorization(700n, salt(300))
  await until('the top-up', () => topups().length >= 1)
  const [first] = topups()
  assert.ok(first?.type === 'credit.topup')
  const raw = await local.rpc.call<Hex>('eth_getRawTransactionByHash', [first.data.tx])
  await local.rpc.call('evm_revert', [snapshot])
  // Another block in its place: the chain has gone another way.
  for (let block = 0; block < 3; block++) await local.rpc.call('evm_mine', [])
  // Once the watcher has noticed, the wallet is unknown, and read anew.
  const load = makeLoader({ reader: chain.reader, ledger: store.ledger, clock: systemClock })
  await until('the ledger to know of the reorg', async () => {
    await load(WALLET)
    return (await inLedger()) === before
  })
  await wallet.mintTo(WALLET, 700n * 10_000n)
  await local.rpc.call('eth_sendRawTransaction', [raw])
  await until('the top-up again', () => topups().length >= 2)
  for (const { id } of topups()) assert.is(id, first.id)
  await follows(before + 700n)
})

Money('a ledger that forgets in the middle of it all finds the balance again', async () => {
  let expected: bigint = await onChain()
  const flowing = async () => {
    for (let round = 0; round < 6; round++) {
      await wallet.requestWithdrawal(300n)
      await wallet.depositWithAuthorization(100n, salt(100 + round))
      await wallet.cancelWithdrawal()
      await wallet.withdraw(150n)
      await wallet.requestWithdrawal(20n)
      await elapse(THAW_SECONDS)
      await wallet.completeWithdrawal()
      expected += 100n - 150n - 20n
    }
  }
  await losing(() => store.ledger.forget(), flowing)
  await follows(expected)
})

Money('an auditor that reads the chain alone finds every unit in its place', async () => {
  const { rpcUrl, contracts } = local
  const { chainId, jobEscrow: escrow, deployBlock } = contracts
  const from = { deployBlock: BigInt(deployBlock) }
  const { books, differences, tokens } = await readMoney(
    await connectAuditor({ rpcUrl, chainId, escrow, ...from }),
  )
  assert.equal(differences.map(nameOf), [])
  assert.is(tokens.held, tokens.owed)
  assert.ok((books.wallets.get(WALLET)?.withdrawn ?? 0n) > 0n)
})

Money.after(async () => {
  await watcher?.stop()
  await writer?.close()
  await chain?.close()
  await store?.close()
  await Promise.all([local?.stop(), redis?.stop()])
})

Money.run()
