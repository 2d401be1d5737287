import fc from 'fast-check'
import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Address, type JobId, toJobId } from '../../../src/domain/ids.ts'
import type { JobStatus } from '../../../src/messages/job-view.ts'
import type { JobPage, JobQuery, VersionedJob } from '../../../src/ports/job-views.ts'
import { connectRedis, type Store } from '../../../src/store/connect.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { MemoryJobViews } from '../../fakes/edge/memory-job-views.ts'
import { jobAt, MODEL, OWNER, STRANGER, viewOf, walletNumber } from '../../fakes/jobs/views.ts'
import { until } from '../../until.ts'
import { type Server, startRedis } from '../servers.ts'

const Views = suite('job views on a real redis-server')
let server: Server
let store: Store
let redis: Redis

Views.before(async () => {
  server = await startRedis()
  store = await connectRedis({ url: server.url, log: makeLog('test', 'silent') })
  redis = new Redis(server.url)
})
Views.after(async () => {
  redis.disconnect()
  await store.close()
  await server.stop()
})
Views.before.each(async () => {
  await redis.flushall()
  await rebuild()
})

const put = (...jobs: VersionedJob[]) => store.jobViews.put(jobs)
const version = (n: number, id: JobId, status?: JobStatus, more = {}): VersionedJob => ({
  version: n,
  view: viewOf(id, status, more),
})

async function rebuild(upTo = 1): Promise<boolean> {
  return store.jobViews.endRebuild(await store.jobViews.beginRebuild(), upTo)
}

async function page(query: Partial<JobQuery> = {}): Promise<JobPage> {
  const reply = await store.jobViews.page({ wallet: OWNER, limit: 100, ...query })
  if (reply === 'incomplete' || reply.type !== 'page') throw new Error(JSON.stringify(reply))
  return reply
}
const ids = async (query: Partial<JobQuery> = {}) => (await page(query)).jobs.map(({ id }) => id)

Views('put: every field comes back as it was, in each state', async () => {
  const statuses = [
    'pending',
    'processing',
    'settling',
    'settled',
    'failed',
    'refunded',
    'disputed',
  ] as const
  const jobs = statuses.map((status, i) => version(i + 1, jobAt(i), status))
  await put(...jobs)
  for (const { view } of jobs) {
    assert.equal(await store.jobViews.get(OWNER, view.id), view)
    assert.equal((await page({ status: view.status })).jobs, [view])
  }
})

Views('put: the newest version wins, whatever the order; a repeat changes nothing', async () => {
  const id = jobAt(1)
  await put(version(7, id, 'settling'))
  await put(version(5, id, 'pending'), version(6, id, 'processing'))
  await put(version(7, id, 'settling'))
  assert.is((await page()).jobs.length, 1)
  assert.equal(await ids({ status: 'settling' }), [id])
  assert.equal(await ids({ status: 'pending' }), [])
  await put(version(9, id, 'settled'), version(8, id, 'settling'))
  assert.equal(await ids({ status: 'settled' }), [id])
  assert.is((await page()).jobs.length, 1)
})

Views('put: thousands at once, of many wallets', async () => {
  const jobs = Array.from({ length: 3_000 }, (_, i) =>
    version(i + 1, jobAt(i), 'settled', { wallet: walletNumber(i % 7) }),
  )
  await put(...jobs)
  for (let n = 0; n < 7; n++) {
    let count = 0
    let before: JobId | undefined
    do {
      const { jobs, hasMore } = await page({ wallet: walletNumber(n), before })
      count += jobs.length
      before = hasMore ? jobs.at(-1)?.id : undefined
    } while (before)
    assert.is(count, jobs.filter(({ view }) => view.wallet === walletNumber(n)).length)
  }
})

Views('page: of a wallet without jobs is empty, and knows no cursor and no model', async () => {
  await put(version(1, jobAt(1), 'settled', { wallet: STRANGER }))
  assert.equal(await page({ model: MODEL }), {
    type: 'page',
    jobs: [],
    hasMore: false,
    modelSeen: false,
  })
  for (const cursor of ['before', 'after'] as const) {
    assert.equal(await store.jobViews.page({ wallet: OWNER, limit: 1, [cursor]: jobAt(1) }), {
      type: 'unknown_cursor',
      cursor,
    })
  }
  assert.is(await store.jobViews.get(OWNER, jobAt(1)), undefined)
})

Views('page: a cursor may be a job that the filter leaves out', async () => {
  await put(version(1, jobAt(1)), version(2, jobAt(2), 'failed'), version(3, jobAt(3)))
  assert.equal(await ids({ before: jobAt(2), status: 'settled' }), [jobAt(1)])
  assert.equal(await ids({ after: jobAt(2), status: 'settled' }), [jobAt(3)])
})

Views('page: any query over any jobs is what a plain array answers', async () => {
  const statuses = ['pending', 'settled', 'failed', 'disputed'] as const
  const models = [MODEL, 'b/model', 'c']
  // Ids that share all but their last letters, and ids that share nothing: with every letter that
  // the form allows, so that no order but that of bytes will do.
  const jobId = fc
    .oneof(
      fc.tuple(fc.constant('0'.repeat(24)), fc.stringMatching(/^[0-9a-z]{2}$/)),
      fc.tuple(fc.stringMatching(/^[0-9a-z]{26}$/), fc.constant('')),
    )
    .map(([head, tail]) => toJobId(`job_${head}${tail}`))
  const jobs = fc.array(
    fc.record({
      id: jobId,
      version: fc.nat(50),
      status: fc.constantFrom(...statuses),
      wallet: fc.constantFrom(OWNER, STRANGER),
    }),
    { maxLength: 60 },
  )
  const pick = fc.option(fc.nat(), { nil: undefined })
  const queries = fc.array(
    fc.record({
      limit: fc.integer({ min: 1, max: 12 }),
      before: pick,
      after: pick,
      status: fc.option(fc.constantFrom(...statuses), { nil: undefined }),
      model: fc.option(fc.constantFrom(...models, 'unseen'), { nil: undefined }),
    }),
    { minLength: 5, maxLength: 30 },
  )
  let run = 0
  await fc.assert(
    fc.asyncProperty(jobs, queries, async (made, asked) => {
      // Wallets of each run's own, so that none sees another's jobs. A job has one model and one
      // wallet all its life.
      const wallets = new Map([OWNER, STRANGER].map((wallet) => [wallet, walletNumber(++run)]))
      const ownerOf = new Map<JobId, Address>()
      const versions = made.map(({ id, version: n, status, wallet }) => {
        ownerOf.set(id, ownerOf.get(id) ?? wallets.get(wallet)!)
        const model = models[id.charCodeAt(29) % 3]!
        return version(n, id, status, { wallet: ownerOf.get(id)!, model })
      })
      const expected = new MemoryJobViews()
      await expected.put(versions)
      await put(...versions)
      const cursors = [...new Set(made.map(({ id }) => id)), jobAt(1)]
      for (const { limit, before, after, status, model } of asked) {
        const query: JobQuery = {
          wallet: wallets.get(OWNER)!,
          limit,
          before: before === undefined ? before : cursors[before % cursors.length],
          after: after === undefined ? after : cursors[after % cursors.length],
          status,
          model,
        }
        assert.equal(await store.jobViews.page(query), await expected.page(query))
      }
      for (const id of cursors) {
        const wallet = wallets.get(OWNER)!
        assert.equal(await store.jobViews.get(wallet, id), await expected.get(wallet, id))
      }
    }),
    { numRuns: 150 },
  )
})

Views('pages to the end, while jobs come and change status: each job once, none lost', async () => {
  const jobs = Array.from({ length: 500 }, (_, i) => jobAt(i * 10))
  await put(...jobs.map((id, i) => version(i + 1, id, i % 2 ? 'settled' : 'processing')))
  let versionNow = 1_000
  // Every third job moves at some time; the others never do.
  const isStill = (i: number) => i % 3 !== 0
  for (const status of [undefined, 'settled', 'processing'] as const) {
    const seen: JobId[] = []
    let before: JobId | undefined
    let turn = 0
    do {
      const { jobs: found, hasMore } = await page({ before, status, limit: 7 })
      seen.push(...found.map(({ id }) => id))
      before = hasMore ? found.at(-1)?.id : undefined
      turn++
      await put(
        version(++versionNow, jobAt(100_000 + versionNow)), // new, at the front
        ...jobs.flatMap((id, i) =>
          !isStill(i) && i % 5 === turn % 5
            ? version(++versionNow, id, turn % 2 ? 'settled' : 'failed')
            : [],
        ),
      )
    } while (before)
    assert.is(new Set(seen).size, seen.length, 'a job was shown twice')
    const still = jobs.filter(
      (_, i) =>
        isStill(i) && (status === undefined || status === (i % 2 ? 'settled' : 'processing')),
    )
    const shown = new Set(seen)
    assert.equal(
      still.filter((id) => !shown.has(id)),
      [],
    )
    assert.equal(seen, [...seen].sort().reverse())
  }
})

Views('upwards from a cursor, while jobs come: all that are newer, none twice', async () => {
  const jobs = Array.from({ length: 100 }, (_, i) => jobAt(i * 10))
  await put(...jobs.map((id, i) => version(i + 1, id)))
  const seen: JobId[] = []
  let after: JobId | undefined = jobs[0]
  let made = 0
  while (after) {
    const { jobs: found, hasMore }: JobPage = await page({ after, limit: 9 })
    seen.unshift(...found.map(({ id }) => id))
    after = hasMore ? found[0]?.id : undefined
    if (made < 30) await put(version(10_000 + made, jobAt(100_000 + made++)))
  }
  assert.equal(seen, [...seen].sort().reverse())
  const rest = new Set(seen)
  for (const id of jobs.slice(1)) assert.ok(rest.has(id))
  assert.ok(seen.length >= jobs.length - 1 + 10, 'what came meanwhile is in too')
})

Views('memory: a flush loses it all, until a rebuild has ended that began after', async () => {
  await put(version(1, jobAt(1)))
  assert.equal(await store.jobViews.memory(), { type: 'complete' })
  const token = await store.jobViews.beginRebuild()
  await redis.flushall()
  assert.equal(await store.jobViews.memory(), { type: 'lost' })
  assert.is(await store.jobViews.page({ wallet: OWNER, limit: 1 }), 'incomplete')
  assert.is(await store.jobViews.get(OWNER, jobAt(1)), 'incomplete')
  await put(version(1, jobAt(1)))
  assert.is(await store.jobViews.endRebuild(token, 2), false, 'it began before the flush')
  await store.jobViews.advance(2)
  assert.equal(await store.jobViews.memory(), { type: 'lost' }, 'not brought back by the way')
  assert.is(await rebuild(), true)
  assert.equal(await ids(), [jobAt(1)])
})

Views('memory: of two rebuilds at once one is enough', async () => {
  await redis.flushall()
  const tokens = [await store.jobViews.beginRebuild(), await store.jobViews.beginRebuild()] as const
  assert.is(await store.jobViews.endRebuild(tokens[1], 2), true)
  assert.is(await store.jobViews.endRebuild(tokens[0], 2), false)
  assert.equal(await store.jobViews.memory(), { type: 'complete' })
})

Views('memory: a restart may have lost the last writes, and none before the mark', async () => {
  await put(version(1, jobAt(1)))
  await rebuild(40)
  await store.jobViews.advance(70)
  await store.jobViews.advance(60)
  const token = await store.jobViews.beginRebuild()
  await redis.config('SET', 'appendfsync', 'always')
  await put(version(2, jobAt(2)))
  await server.crash()
  await until('redis to be back', () => store.ping())
  assert.equal(await store.jobViews.memory(), { type: 'lost_tail', from: 70 })
  assert.is(await store.jobViews.page({ wallet: OWNER, limit: 1 }), 'incomplete')
  await store.jobViews.advance(80)
  assert.is(await store.jobViews.endRebuild(token, 90), false, 'it began in an earlier life')
  assert.equal(await store.jobViews.memory(), { type: 'lost_tail', from: 70 })
  assert.is(await rebuild(90), true)
  assert.equal(await ids(), [jobAt(2), jobAt(1)])
})

Views.run()
