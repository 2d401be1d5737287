import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toCredits } from '../../../src/domain/credits.ts'
import { type Address, type JobId, makeJobId, toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { JoinEntry } from '../../../src/ports/ledger.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { connectRedis, type Store } from '../../../src/store/connect.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { until } from '../../until.ts'
import { type Server, startRedis } from '../servers.ts'

/** How the jobs of retried requests are found: written with the reservation, or not at all. */
const Join = suite('join keys on a real redis-server')
let server: Server
let store: Store

const at = toUnixMs(1_800_000_000_000)
const newJob = (): JobId => makeJobId(at, systemClock.randomBytes(16))
async function newWallet(credits: number): Promise<Address> {
  const wallet = toAddress(`0x${Buffer.from(systemClock.randomBytes(20)).toString('hex')}`)
  const account = {
    available: toCredits(credits),
    locked: toCredits(0),
    lastTopupAt: at,
    block: 10,
  }
  await store.ledger.load(wallet, account)
  return wallet
}
const reserve = (
  wallet: Address,
  jobId: JobId,
  replaces: JoinEntry['replaces'],
  { credits = 8, ttlMs = 60_000, bodyDigest = 'body' } = {},
) =>
  store.ledger.reserve({
    wallet,
    jobId,
    credits: toCredits(credits),
    at,
    join: { key: 'k:1', bodyDigest, replaces, ttlMs },
  })
async function remaining(wallet: Address): Promise<number> {
  const balance = await store.ledger.balance(wallet)
  if (balance === 'unknown_wallet') throw new Error('the wallet is unknown')
  return Number(balance.remaining)
}

Join.before(async () => {
  server = await startRedis()
  store = await connectRedis({ url: server.url, log: makeLog('test', 'silent') })
})
Join.after(async () => {
  await store.close()
  await server.stop()
})

Join('the second of one key finds the first, and sets nothing aside', async () => {
  const wallet = await newWallet(100)
  const [first, second] = [newJob(), newJob()]
  assert.is(await store.ledger.joinable(wallet, 'k:1'), undefined)
  assert.is((await reserve(wallet, first, undefined)).type, 'reserved')
  const taken = { type: 'taken', jobId: first, bodyDigest: 'body' }
  assert.equal(await reserve(wallet, second, undefined, { bodyDigest: 'other' }), taken)
  assert.equal(await store.ledger.joinable(wallet, 'k:1'), { jobId: first, bodyDigest: 'body' })
  assert.is(await remaining(wallet), 92)
  const open = await store.ledger.openReservations(toUnixMs(at + 1), 1_000)
  assert.not(open.some(({ jobId }) => jobId === second))
  assert.is((await reserve(wallet, first, undefined)).type, 'reserved', 'the same job again')
})

Join('it is told even where the wallet has nothing left', async () => {
  const wallet = await newWallet(8)
  const first = newJob()
  await reserve(wallet, first, undefined)
  assert.is((await reserve(wallet, newJob(), undefined)).type, 'taken')
})

Join('of many at once with one key, one reserves', async () => {
  const wallet = await newWallet(1_000)
  const replies = await Promise.all(
    Array.from({ length: 30 }, () => reserve(wallet, newJob(), undefined)),
  )
  assert.is(replies.filter(({ type }) => type === 'reserved').length, 1)
  assert.is(replies.filter(({ type }) => type === 'taken').length, 29)
  assert.is(await remaining(wallet), 992)
})

Join('a failed job is replaced by name, so that only one takes its place', async () => {
  const wallet = await newWallet(1_000)
  const [failed, next] = [newJob(), newJob()]
  await reserve(wallet, failed, undefined)
  assert.is((await reserve(wallet, next, failed)).type, 'reserved')
  const late = await reserve(wallet, newJob(), failed)
  assert.equal(late, { type: 'taken', jobId: next, bodyDigest: 'body' })
})

Join('any job is replaced by a first try', async () => {
  const wallet = await newWallet(100)
  const next = newJob()
  await reserve(wallet, newJob(), 'any')
  assert.is((await reserve(wallet, next, 'any')).type, 'reserved')
  assert.is((await store.ledger.joinable(wallet, 'k:1'))?.jobId, next)
})

Join('what cannot be reserved is not written down', async () => {
  const wallet = await newWallet(7)
  assert.is((await reserve(wallet, newJob(), undefined)).type, 'insufficient')
  assert.is(await store.ledger.joinable(wallet, 'k:1'), undefined)
})

Join('a release frees the key while it is still the job’s', async () => {
  const wallet = await newWallet(100)
  const [first, second] = [newJob(), newJob()]
  await reserve(wallet, first, undefined)
  await reserve(wallet, second, first)
  await store.ledger.release(wallet, first, 'k:1')
  assert.is((await store.ledger.joinable(wallet, 'k:1'))?.jobId, second)
  await store.ledger.release(wallet, second, 'k:1')
  assert.is(await store.ledger.joinable(wallet, 'k:1'), undefined)
  assert.is(await remaining(wallet), 100)
})

Join('another wallet’s key is another key', async () => {
  const [mine, other] = [await newWallet(100), await newWallet(100)]
  await reserve(mine, newJob(), undefined)
  assert.is(await store.ledger.joinable(other, 'k:1'), undefined)
  assert.is((await reserve(other, newJob(), undefined)).type, 'reserved')
})

Join('it goes when its time is up', async () => {
  const wallet = await newWallet(100)
  await reserve(wallet, newJob(), undefined, { ttlMs: 80 })
  await until('the key to be gone', async () => {
    return (await store.ledger.joinable(wallet, 'k:1')) === undefined
  })
})

Join('all keys of one reservation live in one slot of a cluster', async () => {
  const wallet = await newWallet(100)
  await reserve(wallet, newJob(), undefined)
  const admin = new Redis(server.url)
  const keys = await admin.keys(`*${wallet}*`)
  admin.disconnect()
  assert.is(keys.length, 3, String(keys))
  for (const key of keys) assert.match(key, `:{${wallet}}`)
})

Join.run()
