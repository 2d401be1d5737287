import { existsSync, readdirSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { connect } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type JobViewRebuilder, makeJobViewRebuilder } from '../../../actors/job-views/rebuilder.ts'
import { connectNats, type Nats } from '../../../src/bus/connect.ts'
import type { JobId } from '../../../src/domain/ids.ts'
import type { JobStatus, JobView } from '../../../src/messages/job-view.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import type { JobArchive, JobViews, VersionedJob } from '../../../src/ports/job-views.ts'
import type { Journal } from '../../../src/ports/journal.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { connectRedis, type Store } from '../../../src/store/connect.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { jobAt, OWNER, viewOf } from '../../fakes/jobs/views.ts'
import { until } from '../../until.ts'
import { type Server, startNats, startRedis } from '../servers.ts'

/** Job views that are lost, and made anew from a real journal and a real archive. */
const Rebuild = suite('job views, rebuilt')
const log = makeLog('test', (process.env.TEST_LOG ?? 'silent') as 'silent')

interface Stage {
  readonly servers: readonly Server[]
  readonly redisServer: Server
  readonly nats: Nats
  readonly store: Store
  readonly redis: Redis
  readonly journal: Journal
  readonly archive: JobArchive
  readonly rebuilders: JobViewRebuilder[]
  viewedUpTo: number
  /** As the hosts see it, which put what they append by themselves. */
  append(id: JobId, status: JobStatus): Promise<VersionedJob>
  rebuilder(views?: JobViews, archive?: JobArchive, onLoss?: () => void): Promise<JobViewRebuilder>
  complete(): Promise<true>
  list(): Promise<readonly JobView[]>
}

async function openStage(): Promise<Stage> {
  const [natsServer, redisServer] = await Promise.all([startNats(), startRedis()])
  const nats = await connectNats({ servers: natsServer.url, name: 'test', log })
  const store = await connectRedis({ url: redisServer.url, log })
  const reader = await nats.jobReader()
  const journal = await nats.journal('JOB')
  const archive = await nats.archive()
  const last = new Map<JobId, number>()
  const views = store.jobViews
  const stage: Stage = {
    servers: [natsServer, redisServer],
    redisServer,
    nats,
    store,
    redis: new Redis(redisServer.url),
    journal,
    archive,
    rebuilders: [],
    viewedUpTo: 1,
    append: async (id, status) => {
      const view = viewOf(id, status)
      const record = { token: `${id}${status}`, body: { state: view, events: [] } }
      const appended = await journal.append(SUBJECTS.jobJournal(id), last.get(id) ?? 0, record)
      assert.type(appended, 'number')
      last.set(id, appended as number)
      return { view, version: appended as number }
    },
    rebuilder: async (theirViews = views, theirArchive = archive, onLoss = () => {}) => {
      const rebuilder = makeJobViewRebuilder({
        views: theirViews,
        archive: theirArchive,
        journal: reader,
        viewOf: ({ body }) => (body as { state: JobView }).state,
        viewedUpTo: async () => stage.viewedUpTo,
        onLoss,
        clock: systemClock,
        log,
      })
      stage.rebuilders.push(rebuilder)
      await rebuilder.start()
      return rebuilder
    },
    complete: () =>
      until('complete views', async () => {
        const memory = await views.memory().catch(() => undefined)
        return memory?.type === 'complete'
      }),
    list: async () => {
      const page = await views.page({ wallet: OWNER, limit: 100 })
      if (page === 'incomplete' || page.type !== 'page') throw new Error(JSON.stringify(page))
      return page.jobs
    },
  }
  return stage
}

async function closeStage(stage: Stage): Promise<void> {
  for (const rebuilder of stage.rebuilders) await rebuilder.stop()
  stage.redis.disconnect()
  await stage.store.close()
  await stage.nats.close()
  for (const server of stage.servers) await server.stop()
}

const test = (name: string, run: (stage: Stage) => Promise<void>) =>
  Rebuild(name, async () => {
    const stage = await openStage()
    try {
      await run(stage)
    } finally {
      await closeStage(stage)
    }
  })

test('archive: what was appended is read, in portions, repeats and all', async ({ archive }) => {
  const jobs = Array.from({ length: 1_203 }, (_, i) => ({
    view: viewOf(jobAt(i), i % 2 ? 'settled' : 'failed'),
    version: i + 1,
  }))
  await archive.append(jobs)
  await archive.append(jobs.slice(0, 1))
  await archive.append([])
  const read: VersionedJob[] = []
  let portions = 0
  await archive.read(async (some) => {
    portions++
    read.push(...some)
  })
  assert.equal(read, [...jobs, jobs[0]])
  assert.ok(portions > 2)
})

test('archive: what its reader throws ends the reading', async ({ archive }) => {
  await archive.append([{ view: viewOf(jobAt(1)), version: 1 }])
  const failure = new Error('enough')
  const end = await archive.read(() => Promise.reject(failure)).catch((error: unknown) => error)
  assert.is(end, failure)
})

test('archive: an entry that nobody can read hides no other', async ({ archive, servers }) => {
  await archive.append([{ view: viewOf(jobAt(1)), version: 1 }])
  const raw = await connect({ servers: servers[0]!.url })
  await raw.jetstream().publish(SUBJECTS.doneJobs, Uint8Array.from([0xc1, 1, 2]))
  await raw.close()
  await archive.append([{ view: viewOf(jobAt(2)), version: 2 }])
  const read: JobId[] = []
  await archive.read(async (some) => {
    read.push(...some.map(({ view }) => view.id))
  })
  assert.equal(read, [jobAt(1), jobAt(2)])
})

test('a store that never held anything is complete once journal and archive are in', async (stage) => {
  const old = { view: viewOf(jobAt(1)), version: 1 }
  await stage.archive.append([old])
  await stage.append(jobAt(2), 'pending')
  await stage.append(jobAt(2), 'processing')
  const last = await stage.append(jobAt(2), 'settling')
  await stage.rebuilder()
  await stage.complete()
  assert.equal(await stage.list(), [last.view, old.view])
})

test('what hosts put meanwhile is newer than what the rebuild reads, and stays', async (stage) => {
  const { archive, store } = stage
  await archive.append([{ view: viewOf(jobAt(1), 'settled'), version: 1 }])
  await stage.append(jobAt(1), 'settled')
  // The host's own put comes in the middle of the rebuild, before the journal is read.
  const slow: JobArchive = {
    ...archive,
    read: async (each) => {
      const disputed = await stage.append(jobAt(1), 'disputed')
      const upheld = await stage.append(jobAt(1), 'refunded')
      await store.jobViews.put([upheld])
      await store.jobViews.put([disputed])
      await archive.read(each)
    },
  }
  await stage.rebuilder(store.jobViews, slow)
  await stage.complete()
  assert.equal(
    (await stage.list()).map(({ status }) => status),
    ['refunded'],
  )
})

test('a flush, and a second one in the middle of the rebuild', async (stage) => {
  const { redis, archive, store } = stage
  for (let i = 0; i < 20; i++) await archive.append([{ view: viewOf(jobAt(i)), version: i + 1 }])
  for (let i = 20; i < 40; i++) await stage.append(jobAt(i), 'settled')
  await stage.rebuilder()
  await stage.complete()
  let puts = 0
  const flushing: JobViews = {
    ...store.jobViews,
    put: async (jobs) => {
      await store.jobViews.put(jobs)
      if (++puts === 10) await redis.flushall()
    },
  }
  for (const rebuilder of stage.rebuilders.splice(0)) await rebuilder.stop()
  await redis.flushall()
  await stage.rebuilder(flushing)
  await stage.complete()
  assert.equal(
    (await stage.list()).map(({ id }) => id),
    Array.from({ length: 40 }, (_, i) => jobAt(39 - i)),
  )
  assert.ok(puts >= 2 * 21, 'it began anew')
})

test('the one who rebuilds dies: the next one does it', async (stage) => {
  const { archive, store } = stage
  await archive.append([{ view: viewOf(jobAt(1)), version: 1 }])
  await stage.append(jobAt(2), 'settled')
  let die = () => {}
  const died = new Promise<void>((resolve) => {
    die = resolve
  })
  // It hangs in its first put, as a process that was killed does.
  const dying = await stage.rebuilder({ ...store.jobViews, put: () => died })
  await until('a rebuild to begin', async () =>
    Boolean(await stage.redis.exists('jobs:rebuilding')),
  )
  await stage.rebuilder()
  await stage.complete()
  assert.is((await stage.list()).length, 2)
  die()
  await dying.stop()
})

test('a restart that lost the last writes: they are read from the mark on', async (stage) => {
  const { archive, redis, redisServer, store } = stage
  await archive.append([{ view: viewOf(jobAt(1)), version: 1 }])
  const first = await stage.append(jobAt(2), 'settled')
  await stage.rebuilder()
  await stage.complete()
  stage.viewedUpTo = first.version + 1
  await until('the mark', async () => {
    return Number(await redis.hget('jobs', 'w')) === first.version + 1
  })
  for (const rebuilder of stage.rebuilders.splice(0)) await rebuilder.stop()
  await stage.append(jobAt(3), 'settling') // its put was lost
  await redis.bgrewriteaof()
  await until('what is there to be on disk', async () => {
    return (await redis.info('persistence')).includes('aof_rewrite_in_progress:0')
  })
  await redisServer.crash()
  await until('redis to be back', () => store.ping())
  let archiveRead = false
  await stage.rebuilder(store.jobViews, {
    ...archive,
    read: async () => {
      archiveRead = true
    },
  })
  await stage.complete()
  assert.equal(
    (await stage.list()).map(({ id }) => id),
    [jobAt(3), jobAt(2), jobAt(1)],
  )
  assert.is(archiveRead, false, 'what is older than the mark was kept')
})

test('a mark older than the journal itself: the archive fills the gap', async (stage) => {
  const { archive, redis, redisServer, store, servers } = stage
  await stage.append(jobAt(1), 'settled')
  await stage.rebuilder()
  await stage.complete()
  for (const rebuilder of stage.rebuilders.splice(0)) await rebuilder.stop()
  const missed = await stage.append(jobAt(2), 'settled')
  await archive.append([missed])
  await stage.append(jobAt(3), 'settled')
  const raw = await connect({ servers: servers[0]!.url })
  const manager = await raw.jetstreamManager()
  await manager.streams.purge('JOB', { seq: missed.version + 1 })
  await raw.close()
  await redis.config('SET', 'appendfsync', 'always')
  await redis.set('last', '1')
  await redisServer.crash()
  await until('redis to be back', () => store.ping())
  await stage.rebuilder()
  await stage.complete()
  assert.equal(
    (await stage.list()).map(({ id }) => id),
    [jobAt(3), jobAt(2), jobAt(1)],
  )
})

test('a mark of a journal that was lost since: what this one holds is in all the same', async (stage) => {
  const { redis, redisServer, store } = stage
  // Of the journal before, which had come so far; Redis was kept.
  const ofBefore = 10_000
  await store.jobViews.endRebuild(await store.jobViews.beginRebuild(), ofBefore)
  await redis.config('SET', 'appendfsync', 'always')
  await redis.set('last', '1')
  const settled = await stage.append(jobAt(1), 'settled') // its put was lost
  await redisServer.crash()
  await until('redis to be back', () => store.ping())
  await stage.rebuilder()
  await stage.complete()
  assert.equal(await stage.list(), [settled.view])
  assert.is(Number(await redis.hget('jobs', 'w')), settled.version + 1)
})

test('a transaction that was cut off in the file does not come back with the next restart', async (stage) => {
  const { redis, redisServer, store } = stage
  const back = async () => {
    await redisServer.crash()
    await until('redis to be back', () => store.ping())
  }
  await redis.config('SET', 'appendfsync', 'always')
  await store.jobViews.put([await stage.append(jobAt(1), 'pending')])
  await store.jobViews.put([
    await stage.append(jobAt(1), 'processing'),
    await stage.append(jobAt(2), 'processing'),
  ])
  // As a power cut may: in the middle of the second job of one script.
  process.kill(redisServer.pid, 'SIGKILL')
  await until('redis to be gone', async () => !(await store.ping()))
  const file = fileIn(join(redisServer.dir, 'appendonlydir'))
  truncateSync(file, statSync(file).size - CUT_BYTES)
  await back()
  await stage.append(jobAt(1), 'settling')
  await stage.rebuilder(undefined, undefined, () => void store.file.rewrite())
  await stage.complete()
  await until('the file to be written anew', async () => !existsSync(file))
  await back()
  await stage.complete()
  assert.equal(
    (await stage.list()).map(({ id, status }) => [id, status]),
    [
      [jobAt(2), 'processing'],
      [jobAt(1), 'settling'],
    ],
  )
})

/** The end of the transaction, and a part of its last command. */
const CUT_BYTES = 30

const fileIn = (folder: string): string =>
  join(folder, readdirSync(folder).find((name) => name.endsWith('.incr.aof'))!)

Rebuild.run()
