import { randomUUID } from 'node:crypto'
import type { Redis, Result } from 'ioredis'
import { pack, unpack } from 'msgpackr'
import { type Address, type JobId, toJobId } from '../domain/ids.ts'
import type { JobView } from '../messages/job-view.ts'
import {
  type PackedJob,
  packJob,
  statusNumber,
  statusOfNumber,
  unpackJob,
} from '../messages/packed-job.ts'
import type {
  JobPage,
  JobQuery,
  JobViews,
  UnknownCursor,
  VersionedJob,
} from '../ports/job-views.ts'
import { luaSource } from './lua-source.ts'

const modelsKey = (wallet: Address) => `jm:{${wallet}}`
const listsKey = (wallet: Address) => `jl:{${wallet}}`
/** Of all wallets: what is known to be in. */
const MEMORY = 'jobs'
const REBUILDING = 'jobs:rebuilding'

/** Jobs of one wallet in one script: a millisecond, so that nobody waits long behind it. */
const PUT_MOST = 100
const ID_PREFIX = 'job_'
const ID_CHARS = 26
const VERSION_BYTES = 6

declare module 'ioredis' {
  interface RedisCommander<Context> {
    jobPut(...args: (string | Buffer)[]): Result<null, Context>
    jobGetBuffer(...args: string[]): Result<Buffer[], Context>
    jobPageBuffer(...args: string[]): Result<Buffer[], Context>
    jobRebuilt(...args: string[]): Result<number, Context>
    jobAdvance(...args: string[]): Result<number, Context>
  }
}

/** The job views in Redis: one sorted set a wallet, status and model, whose members are the jobs. */
export function makeJobViews(redis: Redis, generation: () => Promise<string>): JobViews {
  const readers = ['job-lists', 'job-readers']
  redis.defineCommand('jobPut', { numberOfKeys: 2, lua: luaSource('job-lists', 'job-put') })
  redis.defineCommand('jobGet', { numberOfKeys: 3, lua: luaSource(...readers, 'job-get') })
  redis.defineCommand('jobPage', { numberOfKeys: 3, lua: luaSource(...readers, 'job-page') })
  redis.defineCommand('jobRebuilt', { numberOfKeys: 2, lua: luaSource('job-rebuilt') })
  redis.defineCommand('jobAdvance', { numberOfKeys: 1, lua: luaSource('job-advance') })

  /** The arguments that every reader begins with. */
  const of = async (wallet: Address): Promise<string[]> => [
    modelsKey(wallet),
    listsKey(wallet),
    MEMORY,
    await generation(),
  ]

  return {
    put: async (jobs) => {
      // One write to the socket, however many wallets there are.
      const pipeline = redis.pipeline()
      for (const [wallet, theirs] of byWallet(jobs)) {
        for (const some of portions(theirs)) {
          pipeline.jobPut(modelsKey(wallet), listsKey(wallet), ...some.flatMap(putArguments))
        }
      }
      for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error
    },

    page: async (query) => {
      const most = String(query.limit + 1)
      const args = [most, idOf(query.before), idOf(query.after), statusOf(query), query.model ?? '']
      const reply = await redis.jobPageBuffer(...(await of(query.wallet)), ...args)
      return toPage(query, reply)
    },

    get: async (wallet, jobId) => {
      const reply = await redis.jobGetBuffer(...(await of(wallet)), idOf(jobId))
      if (String(reply[0]) === 'incomplete') return 'incomplete'
      return reply.length > 1 ? toView(wallet, reply, 1) : undefined
    },

    memory: async () => {
      const [life, known] = await Promise.all([generation(), redis.hmget(MEMORY, 'g', 'w')])
      const [completeIn, from] = known
      if (completeIn === life) return { type: 'complete' }
      return from ? { type: 'lost_tail', from: Number(from) } : { type: 'lost' }
    },

    beginRebuild: async () => {
      const token = randomUUID()
      await redis.hset(REBUILDING, token, await generation())
      return token
    },
    endRebuild: async (token, upTo) =>
      (await redis.jobRebuilt(MEMORY, REBUILDING, await generation(), token, String(upTo))) === 1,
    advance: async (upTo) => {
      await redis.jobAdvance(MEMORY, await generation(), String(upTo))
    },
  }
}

const idOf = (jobId: JobId | undefined): string => jobId?.slice(ID_PREFIX.length) ?? ''
const statusOf = ({ status }: JobQuery): string =>
  status === undefined ? '' : String(statusNumber(status))

function byWallet(jobs: readonly VersionedJob[]): Map<Address, VersionedJob[]> {
  const found = new Map<Address, VersionedJob[]>()
  for (const job of jobs) {
    const theirs = found.get(job.view.wallet)
    if (theirs) theirs.push(job)
    else found.set(job.view.wallet, [job])
  }
  return found
}

function portions(jobs: readonly VersionedJob[]): VersionedJob[][] {
  const count = Math.ceil(jobs.length / PUT_MOST)
  return Array.from({ length: count }, (_, i) => jobs.slice(i * PUT_MOST, (i + 1) * PUT_MOST))
}

function putArguments({ view, version }: VersionedJob): (string | Buffer)[] {
  const versionBytes = Buffer.allocUnsafe(VERSION_BYTES)
  versionBytes.writeUIntBE(version, 0, VERSION_BYTES)
  const status = String(statusNumber(view.status))
  return [idOf(view.id), versionBytes, status, view.model, pack(packJob(view))]
}

function toPage(
  { wallet, limit, before, after }: JobQuery,
  reply: Buffer[],
): JobPage | UnknownCursor | 'incomplete' {
  const type = String(reply[0])
  if (type === 'incomplete') return type
  if (type === 'unknown_cursor') {
    return { type, cursor: String(reply[1]) === 'before' ? 'before' : 'after' }
  }
  const found = Math.floor((reply.length - 2) / 3)
  const count = Math.min(found, limit)
  const jobs = Array.from({ length: count }, (_, i) => toView(wallet, reply, 2 + 3 * i))
  // With `after` alone the script goes upwards, from the cursor on.
  if (after !== undefined && before === undefined) jobs.reverse()
  return { type: 'page', jobs, hasMore: found > limit, modelSeen: String(reply[1]) === '1' }
}

/** A job from its three parts: member, status, model. */
function toView(wallet: Address, reply: Buffer[], at: number): JobView {
  const [member, status, model] = reply.slice(at, at + 3) as [Buffer, Buffer | number, Buffer]
  const key = {
    id: toJobId(ID_PREFIX + member.toString('latin1', 0, ID_CHARS)),
    wallet,
    status: statusOfNumber(Number(status)),
    model: String(model),
  }
  return unpackJob(key, unpack(member.subarray(ID_CHARS + VERSION_BYTES)) as PackedJob)
}
