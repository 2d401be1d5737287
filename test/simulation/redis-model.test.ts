import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toCredits } from '../../src/domain/credits.ts'
import { type Address, type JobId, makeJobId, toAddress } from '../../src/domain/ids.ts'
import { toUnixMs } from '../../src/domain/time.ts'
import type { JobStatus, JobView } from '../../src/messages/job-view.ts'
import type { LedgerEntry } from '../../src/ports/ledger.ts'
import { connectRedis, type Store } from '../../src/store/connect.ts'
import { makeLog } from '../../src/telemetry/log.ts'
import { type Server, startRedis } from '../integration/servers.ts'
import { makeRandom } from './random.ts'
import { connectSimRedis } from './redis/connect.ts'
import { openScripts } from './redis/lua.ts'
import { SimRedis } from './redis/server.ts'
import type { Node, Random, World } from './world.ts'

const test = suite('the simulated redis answers as redis does')
const DEEDS = 2_000
const TTL_MS = 600_000
const seed = Number(process.env.REDIS_MODEL_SEED ?? 1)
const BEGIN = 1_800_000_000_000

let server: Server
let real: Store
let direct: Redis

test.before(async () => {
  server = await startRedis()
  real = await connectRedis({ url: server.url, log: makeLog('test', 'silent') })
  direct = new Redis(server.url, { protocol: 2 })
})
test.after(async () => {
  direct.disconnect()
  await real.close()
  await server.stop()
})

/** A world without troubles, at the machine's own time. */
function quietWorld(random: Random): World {
  return {
    random,
    now: () => toUnixMs(Date.now()),
    history: { add: () => {} },
  } as unknown as World
}
const quietNode = {
  call: async (_service: string, act: () => unknown) => act(),
  onDeath: () => {},
} as unknown as Node

test(`${DEEDS} random calls of the store (seed ${seed})`, async () => {
  const random = makeRandom(seed)
  const simulated = new SimRedis(quietWorld(makeRandom(seed)), await openScripts())
  const store = connectSimRedis(simulated, quietNode)
  const deeds = makeDeeds(random)
  const told = new Set<string>()
  for (let n = 1; n <= DEEDS; n++) {
    const [name, deed] = deeds.next()
    const expected = await deed(real)
    assert.equal(await deed(store), expected, `deed ${n}: ${name}`)
    told.add(`${name} ${(expected as { type?: string } | undefined)?.type ?? String(expected)}`)
  }
  for (const needed of ['reserve reserved', 'reserve insufficient', 'reserve taken', 'page page']) {
    assert.ok(told.has(needed), `${needed} never happened`)
  }
  for (const wallet of deeds.wallets) {
    for (const key of [`w:{${wallet}}`, `h:{${wallet}}`, `v:{${wallet}}`]) {
      const found = Object.fromEntries(simulated.data.hash(key))
      const expected = { ...(await direct.hgetall(key)) }
      // Each its own life.
      if ('g' in expected) expected.g = found.g ?? ''
      assert.equal(found, expected, key)
    }
  }
})

type Deed = readonly [name: string, deed: (store: Store) => Promise<unknown>]

function makeDeeds(random: Random) {
  const wallets = ['a1', 'a2', 'a3'].map((byte) => toAddress(`0x${byte.repeat(20)}`))
  const jobs: JobId[] = []
  const positions = new Map<Address, number>()
  let version = 0

  const job = (): JobId => {
    if (jobs.length === 0 || random.chance(0.3)) {
      jobs.push(makeJobId(toUnixMs(BEGIN + jobs.length * 7), random.bytes(16)))
    }
    return jobs[Math.max(0, jobs.length - 1 - random.between(0, 12))]!
  }
  const credits = () => toCredits(random.pick([2, 8, 40, 110]))
  const entryOf = (wallet: Address): LedgerEntry => {
    const kind = random.pick(KINDS)
    const block = (positions.get(wallet) ?? 10) + random.between(0, 1)
    positions.set(wallet, block)
    const ofJob = ['locked', 'settled', 'refunded', 'dispute_resolved'].includes(kind)
    return {
      ...{ wallet, block, logIndex: random.between(0, 3), kind, credits: credits() },
      ...(ofJob ? { jobId: job() } : {}),
      ...(kind === 'deposited' ? { at: toUnixMs(BEGIN) } : {}),
      ...(kind === 'settled' ? { charged: credits() } : {}),
    }
  }
  const apply = (wallet: Address): Deed => {
    const entries = Array.from({ length: random.between(1, 4) }, () => entryOf(wallet))
    return ['apply', (store) => store.ledger.apply(entries)]
  }
  const view = (wallet: Address): JobView => ({
    ...{ id: job(), wallet, status: random.pick(STATUSES), model: random.pick(['m/1', 'm/2']) },
    ...{ tier: 'standard', lock: credits(), charged: credits(), worker: wallet },
    ...{ createdAt: toUnixMs(BEGIN), completedAt: null, escrowTx: null, settlementTx: null },
    ...{ refundTx: null, disputeTx: null, disputedHash: null, block: null, proofHash: null },
    usage: null,
  })
  const next = (): Deed => {
    const wallet = random.pick(wallets)
    const jobId = job()
    switch (random.between(1, 13)) {
      case 1: {
        const account = { available: toCredits(500), locked: toCredits(0), lastTopupAt: null }
        const block = positions.get(wallet) ?? 10
        return ['load', (store) => store.ledger.load(wallet, { ...account, block })]
      }
      case 2:
      case 3:
      case 4: {
        const join = {
          ...{ key: random.pick(['k1', 'k2']), bodyDigest: 'd', ttlMs: TTL_MS },
          replaces: random.pick([undefined, 'any', jobId] as const),
        }
        const reservation = {
          ...{ wallet, jobId, credits: credits(), at: toUnixMs(BEGIN) },
          ...(random.chance(0.5) ? { join } : {}),
        }
        return ['reserve', (store) => store.ledger.reserve(reservation)]
      }
      case 5: {
        const key = random.pick([undefined, 'k1', 'k2'])
        return ['release', (store) => store.ledger.release(wallet, jobId, key)]
      }
      case 6:
      case 7:
        return apply(wallet)
      case 8:
        return ['balance', (store) => store.ledger.balance(wallet)]
      case 9:
        return ['open', (store) => store.ledger.openReservations(toUnixMs(BEGIN + 1), 20)]
      case 10: {
        const requestId = `r${random.between(1, 9)}`
        const wish = { wallet, requestId, credits: credits(), to: wallet, deadline: BEGIN / 1_000 }
        const seen = { nonce: BigInt(random.between(0, 2)), block: 500, time: BEGIN / 1_000 }
        if (random.chance(0.3)) return ['end', (store) => store.setAsides.end(wallet, requestId)]
        return ['set aside', (store) => store.setAsides.setAside(wish, seen)]
      }
      case 11: {
        const put = Array.from({ length: random.between(1, 5) }, () => ({
          ...{ view: view(random.pick(wallets)), version: ++version },
        }))
        return ['put', (store) => store.jobViews.put(put)]
      }
      case 12: {
        const query = {
          ...{ wallet, limit: random.between(1, 6) },
          ...(random.chance(0.3) ? { before: jobId } : {}),
          ...(random.chance(0.3) ? { after: job() } : {}),
          ...(random.chance(0.3) ? { status: random.pick(STATUSES) } : {}),
          ...(random.chance(0.3) ? { model: 'm/1' } : {}),
        }
        return ['page', (store) => store.jobViews.page(query)]
      }
      default:
        return random.chance(0.1)
          ? ['complete', complete]
          : ['answer', (store) => putAndRead(store, jobId)]
    }
  }
  return { wallets, next }
}

async function putAndRead({ outputs }: Store, jobId: JobId): Promise<unknown> {
  await outputs.putAnswer(jobId, 'höre 漢 🙂', TTL_MS)
  return outputs.answer(jobId)
}

/** As a rebuild ends. */
async function complete(store: Store): Promise<unknown> {
  const token = await store.jobViews.beginRebuild()
  await store.jobViews.endRebuild(token, 5)
  return store.jobViews.memory()
}

const STATUSES: readonly JobStatus[] = ['pending', 'processing', 'settling', 'settled', 'failed']
const KINDS: readonly LedgerEntry['kind'][] = [
  ...(['deposited', 'deposited', 'withdrawn', 'thawing_started', 'thawing_cancelled'] as const),
  ...(['locked', 'locked', 'settled', 'refunded', 'dispute_resolved'] as const),
]

test.run()
