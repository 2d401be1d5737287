import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Credits, NO_CREDITS, toCredits } from '../../../src/domain/credits.ts'
import { type Address, type JobId, makeJobId, toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { SeenVouchers } from '../../../src/ports/set-asides.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { connectRedis, type Store } from '../../../src/store/connect.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { applyOne } from '../../fakes/chain/apply-one.ts'
import { type Server, startRedis } from '../servers.ts'

/** Credits set aside for vouchers, on a real redis-server. Nothing is on chain after block 10. */
const Asides = suite('credits set aside for vouchers')
let server: Server
let store: Store

const at = toUnixMs(1_800_000_000_000)
const NOW_S = 1_800_000_000
const TO = toAddress(`0x${'bb'.repeat(20)}`)
const newWallet = (): Address =>
  toAddress(`0x${Buffer.from(systemClock.randomBytes(20)).toString('hex')}`)
const newJob = (): JobId => makeJobId(at, systemClock.randomBytes(16))
const seen = (more: Partial<SeenVouchers> = {}): SeenVouchers => ({
  ...{ nonce: 0n, block: 10, time: NOW_S },
  ...more,
})
const setAside = (wallet: Address, credits: number, requestId = 'one', state = seen()) =>
  store.setAsides.setAside(
    {
      ...{ wallet, requestId, credits: toCredits(credits), to: TO },
      deadline: state.time + 120,
    },
    state,
  )
const withdrawn = (wallet: Address, credits: number, block: number) =>
  applyOne(store.ledger, {
    ...{ wallet, block, logIndex: 0, kind: 'withdrawn', credits: toCredits(credits) },
  })
const reserve = (wallet: Address, credits: number) =>
  store.ledger.reserve({
    ...{ wallet, jobId: newJob(), credits: toCredits(credits), at },
  })
async function loaded(credits: number): Promise<Address> {
  const wallet = newWallet()
  await load(wallet, credits)
  return wallet
}
const load = (wallet: Address, credits: number, block = 10) =>
  store.ledger.load(wallet, {
    ...{ available: toCredits(credits), locked: NO_CREDITS, lastTopupAt: null, block },
  })
async function remaining(wallet: Address): Promise<Credits> {
  const balance = await store.ledger.balance(wallet)
  if (balance === 'unknown_wallet') throw new Error('the wallet is unknown')
  return balance.remaining
}
const overdue = async (wallet: Address) =>
  (await store.setAsides.overdue(NOW_S + 1_000_000, 10_000)).filter(
    (each) => each.wallet === wallet,
  )

Asides.before(async () => {
  server = await startRedis()
  store = await connectRedis({ url: server.url, log: makeLog('test', 'silent') })
})
Asides.after(async () => {
  await store?.close()
  await server?.stop()
})

Asides('what is set aside no job can reserve, and a repeat sets nothing more aside', async () => {
  const wallet = await loaded(100)
  const first = await setAside(wallet, 60)
  const voucher = {
    wallet,
    requestId: 'one',
    credits: 60n,
    to: TO,
    nonce: 0n,
    deadline: NOW_S + 120,
  }
  assert.equal(first, { type: 'set_aside', voucher })
  assert.equal(await setAside(wallet, 60, 'one', seen({ time: NOW_S + 5, block: 12 })), first)
  assert.equal(await store.setAsides.held(wallet), voucher)
  assert.is(await remaining(wallet), 40n)
  assert.equal(await reserve(wallet, 41), { type: 'insufficient', remaining: 40n, returning: 0n })
  assert.equal(await reserve(wallet, 40), { type: 'reserved', remaining: 0n })
})

Asides('of withdrawals and jobs at once, no credit is promised twice', async () => {
  const wallet = await loaded(100)
  const asked = Array.from({ length: 20 }, (_, i) =>
    i % 2 === 0 ? setAside(wallet, 30, `w-${i}`) : reserve(wallet, 5),
  )
  const replies = await Promise.all(asked)
  const taken = replies.reduce(
    (sum, { type }) => sum + (type === 'set_aside' ? 30 : type === 'reserved' ? 5 : 0),
    0,
  )
  assert.is(taken, 80)
  assert.is(replies.filter(({ type }) => type === 'set_aside').length, 1)
  assert.is(await remaining(wallet), BigInt(100 - taken))
})

Asides('refused: more than there is, and while another voucher can still be used', async () => {
  const wallet = await loaded(100)
  assert.equal(await setAside(wallet, 101), { type: 'insufficient', remaining: 100n })
  await setAside(wallet, 10, 'first')
  const later = seen({ time: NOW_S + 120, block: 11 })
  assert.equal(await setAside(wallet, 10, 'second', later), {
    type: 'open',
    deadline: NOW_S + 120,
  })
  assert.equal(await setAside(newWallet(), 1), { type: 'unknown_wallet' })
})

Asides(
  'the withdrawal takes from the balance and ends what was set aside, in one step',
  async () => {
    const wallet = await loaded(100)
    await setAside(wallet, 60)
    assert.equal(await withdrawn(wallet, 60, 11), { isNew: true, remaining: 40n, owned: 40n })
    assert.equal(await withdrawn(wallet, 60, 11), { isNew: false, remaining: 40n, owned: 40n })
    assert.is(await store.setAsides.held(wallet), undefined)
    // The same request again: its voucher, which is worth nothing any more.
    const again = await setAside(wallet, 60, 'one', seen({ nonce: 1n, block: 12 }))
    assert.ok(again.type === 'set_aside' && again.voucher.nonce === 0n)
    assert.is(await remaining(wallet), 40n)
    assert.is((await setAside(wallet, 40, 'two', seen({ nonce: 1n, block: 12 }))).type, 'set_aside')
    assert.is(await remaining(wallet), 0n)
  },
)

Asides('an older withdrawal, told late, does not end it', async () => {
  const wallet = await loaded(100)
  // Block 12 holds a withdrawal of 20; the nonce was read after it, its log comes only now.
  await setAside(wallet, 60, 'one', seen({ nonce: 1n, block: 12 }))
  assert.equal(await withdrawn(wallet, 20, 12), { isNew: true, remaining: 20n, owned: 80n })
  assert.equal(await withdrawn(wallet, 60, 13), { isNew: true, remaining: 20n, owned: 20n })
})

Asides('what moves otherwise does not end it: the voucher can still be used', async () => {
  const wallet = await loaded(100)
  await setAside(wallet, 60)
  const moved = { wallet, block: 11, credits: toCredits(30) }
  const standings = await store.ledger.apply([
    { ...moved, logIndex: 0, kind: 'thawing_started' },
    { ...moved, logIndex: 1, kind: 'thawing_cancelled' },
    { ...moved, logIndex: 2, kind: 'deposited', at },
  ])
  assert.ok(standings !== 'unknown_wallet')
  assert.equal(
    standings.map((each) => each.remaining),
    [10n, 40n, 70n],
  )
  assert.is((await store.setAsides.held(wallet))?.credits, 60n)
})

Asides('a chain read before what the ledger has seen is read again', async () => {
  const wallet = await loaded(100)
  await withdrawn(wallet, 20, 12)
  assert.equal(await setAside(wallet, 10, 'one', seen({ block: 11 })), { type: 'stale' })
  assert.is(await remaining(wallet), 80n)
})

Asides('used, with its log on the way: the next request waits for the log', async () => {
  const wallet = await loaded(100)
  await setAside(wallet, 60)
  const used = seen({ nonce: 1n, block: 12 })
  assert.equal(await setAside(wallet, 30, 'two', used), { type: 'used' })
  await withdrawn(wallet, 60, 12)
  assert.is((await setAside(wallet, 30, 'two', used)).type, 'set_aside')
  assert.is(await remaining(wallet), 10n)
})

Asides('not used in time: ended by the sweep, or by the next request', async () => {
  const wallet = await loaded(100)
  await setAside(wallet, 60)
  assert.equal(await overdue(wallet), [{ wallet, requestId: 'one' }])
  await store.setAsides.end(wallet, 'one')
  await store.setAsides.end(wallet, 'one')
  assert.equal(await overdue(wallet), [])
  assert.is(await remaining(wallet), 100n)

  const other = await loaded(100)
  const late = seen({ time: NOW_S + 121, block: 11 })
  assert.is((await setAside(other, 70, 'one')).type, 'set_aside')
  assert.is((await setAside(other, 80, 'two', late)).type, 'set_aside')
  assert.is(await remaining(other), 20n)
  await store.setAsides.end(other, 'one')
  assert.is(await remaining(other), 20n, 'a later one stays')
  const open = (await overdue(other)).map(({ requestId }) => requestId)
  assert.equal(open, ['two'])
})

async function forgetVoucher(wallet: Address): Promise<void> {
  const admin = new Redis(server.url)
  await admin.del(`v:{${wallet}}`)
  admin.disconnect()
}

Asides('of a voucher that is not kept any more: ended by the next request, too', async () => {
  for (const nonce of [0n, 1n]) {
    const wallet = await loaded(100)
    await setAside(wallet, 70)
    await forgetVoucher(wallet)
    assert.is((await setAside(wallet, 80, 'two', seen({ nonce, block: 11 }))).type, 'set_aside')
    assert.is(await remaining(wallet), 20n)
    await forgetVoucher(wallet)
    await store.setAsides.end(wallet, 'two')
    assert.is(await remaining(wallet), 100n, 'or by the sweep')
  }
})

Asides('after a flush nothing is set aside, nothing is counted twice', async () => {
  const wallet = await loaded(100)
  await setAside(wallet, 60)
  const admin = new Redis(server.url)
  await admin.flushall()
  admin.disconnect()
  assert.equal(await setAside(wallet, 60, 'two'), { type: 'unknown_wallet' })
  // Block 11 holds the withdrawal; its log comes after the load, and again.
  await load(wallet, 40, 11)
  assert.equal(await withdrawn(wallet, 60, 11), { isNew: false, remaining: 40n, owned: 40n })
  assert.is(await remaining(wallet), 40n)
})

Asides(
  'after a reorg the voucher is still known as open, though nothing is set aside',
  async () => {
    const wallet = await loaded(100)
    await setAside(wallet, 60)
    await store.ledger.forget()
    await load(wallet, 100)
    assert.is(await remaining(wallet), 100n)
    assert.is((await setAside(wallet, 10, 'two')).type, 'open')
    await store.setAsides.end(wallet, 'one')
    assert.is(await remaining(wallet), 100n)
  },
)

Asides.run()
