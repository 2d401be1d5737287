import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeLoader } from '../../../actors/account/loader.ts'
import { makeWithdrawals, type Withdrawals } from '../../../actors/account/withdrawals.ts'
import { type ChainWatcher, makeChainWatcher } from '../../../actors/chain-watcher/watcher.ts'
import { makeWatcherMetrics } from '../../../actors/chain-watcher/watcher-metrics.ts'
import { type ChainConnection, connectChain } from '../../../src/chain/connect.ts'
import { type ClosableVouchers, makeVouchers } from '../../../src/chain/vouchers.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { type Address, makeJobId, toAddress } from '../../../src/domain/ids.ts'
import { addMs } from '../../../src/domain/time.ts'
import type { WithdrawalVoucher } from '../../../src/messages/account.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { connectRedis, type Store } from '../../../src/store/connect.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { addressOf, KEYS, type LocalChain, startChain } from '../../fakes/chain/anvil.ts'
import { CursorRegistry } from '../../fakes/chain/cursor-registry.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { ToldFacts } from '../../fakes/chain/told-facts.ts'
import { makeWalletCaller, type WalletCaller } from '../../fakes/chain/wallet-caller.ts'
import { noMetrics } from '../../fakes/no-metrics.ts'
import { until } from '../../until.ts'
import { type Server, startRedis } from '../servers.ts'

const WALLET = addressOf(KEYS.wallet)
const START = 10_000n
const UNITS = 10_000n
const PAYEE = toAddress(`0x${'bb'.repeat(20)}`)
const log = makeLog('test', process.env.TEST_LOG ?? 'silent')

let local: LocalChain
let chain: ChainConnection
let vouchers: ClosableVouchers
let redis: Server
let store: Store
let watcher: ChainWatcher
let withdrawals: Withdrawals
let wallet: WalletCaller
let load: (wallet: Address) => Promise<void>
/** How far the tests have moved the chain's time ahead, and the service's with it. */
let aheadMs = 0
const clock: Clock = { ...systemClock, now: () => addMs(systemClock.now(), aheadMs) }

const onChain = async () => (await chain.reader.account(WALLET)).available
async function inLedger(): Promise<bigint | undefined> {
  const balance = await store.ledger.balance(WALLET)
  return balance === 'unknown_wallet' ? undefined : balance.remaining
}
async function follows(expected: bigint): Promise<void> {
  await until(`the ledger to tell ${expected}`, async () => (await inLedger()) === expected)
}
const ask = (credits: bigint, requestId: string, to = PAYEE) =>
  withdrawals.answer({ wallet: WALLET, to, credits: toCredits(credits), requestId })
async function granted(credits: bigint, requestId: string, to = PAYEE): Promise<WithdrawalVoucher> {
  const reply = await ask(credits, requestId, to)
  if (reply.type !== 'granted') throw new Error(`not granted: ${JSON.stringify(reply, bare)}`)
  return reply.voucher
}
const bare = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)
async function refusedOnChain(sent: Promise<void>, error: string): Promise<void> {
  const failure = await sent.then(
    () => undefined,
    (thrown: unknown) => String(thrown),
  )
  assert.match(failure ?? 'it went through', error)
}
async function elapse(seconds: number): Promise<void> {
  await local.rpc.call('evm_increaseTime', [seconds])
  await local.rpc.call('evm_mine', [])
  aheadMs += seconds * 1_000
}
const reserve = (credits: bigint) =>
  store.ledger.reserve({
    jobId: makeJobId(systemClock.now(), systemClock.randomBytes(16)),
    ...{ wallet: WALLET, credits: toCredits(credits), at: systemClock.now() },
  })

const Vouchers = suite('withdrawal vouchers on chain')

Vouchers.before(async () => {
  ;[local, redis] = await Promise.all([startChain(START), startRedis()])
  const { rpcUrl, contracts } = local
  chain = await connectChain({ rpcUrl, contracts, log })
  vouchers = makeVouchers({ rpcUrl, contracts, privateKey: KEYS.withdrawalSigner })
  store = await connectRedis({ url: redis.url, log })
  wallet = makeWalletCaller({ rpcUrl, contracts, privateKey: KEYS.wallet })
  load = makeLoader({ reader: chain.reader, ledger: store.ledger, clock: systemClock })
  const common = { ledger: store.ledger, clock: systemClock, log, load }
  watcher = makeChainWatcher({
    metrics: makeWatcherMetrics(noMetrics),
    ...{ ...new ToldFacts().ports, ...common },
    ...{ reader: chain.reader, bus: new JobBus(), registry: new CursorRegistry() },
    ...{ confirmations: 1, deployBlock: contracts.deployBlock },
  })
  await watcher.start()
  withdrawals = makeWithdrawals({ setAsides: store.setAsides, vouchers, load, clock, log })
})

Vouchers(
  'asked for, used, paid: the credits are gone once, and the voucher is worth nothing',
  async () => {
    // The ledger does not know the wallet yet: it is read first.
    const voucher = await granted(400n, 'first')
    assert.is(await inLedger(), START - 400n)
    assert.equal(await granted(400n, 'first'), voucher)
    assert.equal(await reserve(START - 399n), {
      type: 'insufficient',
      remaining: START - 400n,
      returning: 0n,
    })
    await wallet.withdrawWith(voucher)
    await follows(START - 400n)
    assert.is(await onChain(), START - 400n)
    const balance = await local.rpc.call<string>('eth_call', [
      {
        to: local.contracts.usdg,
        data: `0x70a08231${PAYEE.slice(2).padStart(64, '0')}`,
      },
      'latest',
    ])
    assert.is(BigInt(balance), 400n * UNITS)
    assert.equal(await granted(400n, 'first'), voucher, 'the same request, the same answer')
    await refusedOnChain(wallet.withdrawWith(voucher), 'BadVoucher')
    await follows(START - 400n)
  },
)

Vouchers('one at a time; the next once the first was used', async () => {
  const before = await onChain()
  const first = await granted(100n, 'one')
  const second = await ask(100n, 'two')
  assert.ok(second.type === 'refused' && second.refusal.code === 'voucher_open')
  assert.is(second.refusal.endsAt, first.deadline)
  await wallet.withdrawWith(first)
  // At once, perhaps before the watcher has seen it.
  await wallet.withdrawWith(await granted(100n, 'two'))
  await follows(before - 200n)
  assert.is(await onChain(), before - 200n)
})

Vouchers('not used in time: refused on chain, and the credits can be spent again', async () => {
  const before = await onChain()
  const voucher = await granted(before, 'late')
  assert.is(await inLedger(), 0n)
  await withdrawals.sweep()
  assert.is(await inLedger(), 0n)
  await elapse(121)
  await refusedOnChain(wallet.withdrawWith(voucher), 'VoucherExpired')
  await withdrawals.sweep()
  assert.is(await inLedger(), before)
  assert.is(await onChain(), before)
})

Vouchers(
  'not used in time, and no block tells so: a minute later the next one is granted',
  async () => {
    const before = await onChain()
    const voucher = await granted(100n, 'unused')
    const silence = 120 + 61
    aheadMs += silence * 1_000
    await withdrawals.sweep()
    assert.is(await inLedger(), before)
    const next = await granted(200n, 'next')
    assert.is(await inLedger(), before - 200n)
    await local.rpc.call('evm_increaseTime', [silence])
    await refusedOnChain(wallet.withdrawWith(voucher), 'VoucherExpired')
    await wallet.withdrawWith(next)
    await follows(before - 200n)
    assert.is(await onChain(), before - 200n)
  },
)

Vouchers('refused: more than there is, nothing, and payees that cannot be paid', async () => {
  const codeOf = async (credits: bigint, to?: Address) => {
    const reply = await ask(credits, 'refused', to)
    return reply.type === 'refused' ? reply.refusal.code : reply.type
  }
  const { jobEscrow, usdg } = local.contracts
  assert.is(await codeOf((await onChain()) + 1n), 'insufficient_credits')
  assert.is(await codeOf(0n), 'invalid_request')
  for (const to of [jobEscrow, usdg, toAddress(`0x${'00'.repeat(20)}`)]) {
    assert.is(await codeOf(1n, to), 'invalid_request')
  }
})

Vouchers(
  'a flush between voucher and withdrawal: the chain decides, nothing counts twice',
  async () => {
    const before = await onChain()
    const voucher = await granted(300n, 'flushed')
    await flush()
    await load(WALLET)
    assert.is(await inLedger(), before, 'what was set aside is forgotten')
    // The wallet asks again, as after a lost answer: of both vouchers, one can be used.
    const again = await granted(300n, 'flushed')
    assert.is(again.nonce, voucher.nonce)
    assert.is(await inLedger(), before - 300n)
    await wallet.withdrawWith(voucher)
    await follows(before - 300n)
    await refusedOnChain(wallet.withdrawWith(again), 'BadVoucher')
    assert.is(await onChain(), before - 300n)
  },
)

Vouchers(
  'the wallet takes its credits another way: the voucher fails, nothing is lost',
  async () => {
    const before = await onChain()
    const voucher = await granted(before, 'other-way')
    await wallet.requestWithdrawal(before - 10n)
    await refusedOnChain(wallet.withdrawWith(voucher), 'NotEnoughAvailable')
    await follows(0n)
    await elapse(121)
    await withdrawals.sweep()
    await follows(10n)
    await wallet.cancelWithdrawal()
    await follows(before)
    assert.is(await onChain(), before)
  },
)

async function flush(): Promise<void> {
  const admin = new Redis(redis.url)
  await admin.flushall()
  admin.disconnect()
}

Vouchers.after(async () => {
  await watcher?.stop()
  await vouchers?.close()
  await chain?.close()
  await store?.close()
  await Promise.all([local?.stop(), redis?.stop()])
})

Vouchers.run()
