import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { connectNats, type Nats } from '../../../src/bus/connect.ts'
import { type Address, type JobId, makeJobId, toAddress } from '../../../src/domain/ids.ts'
import { addMs } from '../../../src/domain/time.ts'
import type { EdgeMessage } from '../../../src/messages/edge.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import type { OfferJob, OfferReply, PoolSummary } from '../../../src/messages/pool.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { EDGE, ESCROW_TX, MODEL } from '../../fakes/pool/stage.ts'
import { startNats, startRedis } from '../../integration/servers.ts'
import { until } from '../../until.ts'

const log = makeLog('bench', 'warn')
const WINDOW_MS = 120_000
const START_MS = 60_000

/** Another process of this bench, ended with it. */
export interface Part {
  readonly pid: number
  /** What it printed first. */
  readonly says: string
  kill(): void
}

export interface Agents {
  /** Of the pools they dial, in this order. */
  readonly pools: readonly string[]
  readonly count: number
  /** Number of the first one's key. */
  readonly firstKey?: number
  readonly slots?: number
  /** Of an answer. */
  readonly tokens?: number
  readonly tokenMs?: number
}

/** When things happened to one job, in milliseconds of `performance.now()`. */
export interface Timed {
  readonly offered: number
  readonly firstChunk: number
  readonly ended: number
}

interface Waiting {
  firstChunk: number
  end(result: JobCommand): void
}

export type Rig = Awaited<ReturnType<typeof openRig>>

/**
 * A pool's surroundings without a chain: real NATS and Redis, pools and workers in processes of their own. This
 * process plays the jobs and the edge.
 */
export async function openRig() {
  const [natsServer, redisServer] = await Promise.all([startNats(), startRedis()])
  const nats: Nats = await connectNats({ servers: natsServer.url, name: 'bench', log })
  // Prompts go there as a reservation leaves them, without a ledger that grows from job to job.
  const parts = new Set<ChildProcess>()
  const summaries = new Map<string, PoolSummary>()
  const waiting = new Map<JobId, Waiting>()
  let registered = 0
  const { bus } = nats
  bus.subscribe(SUBJECTS.workerRegister, (_message, _subject, respond) => {
    respond({ type: 'registered', workerId: ++registered })
  })
  bus.subscribe(SUBJECTS.poolSummary, (message) => {
    const summary = message as PoolSummary
    summaries.set(summary.poolId, summary)
  })
  bus.subscribe('cmd.*.*.*', (message, _subject, respond) => {
    respond({ type: 'accepted' })
    const command = message as JobCommand
    if (command.type === 'CompleteJob' || command.type === 'FailWorker') {
      waiting.get(command.jobId)?.end(command)
    }
  })
  bus.subscribe(EDGE, (message) => {
    const at = performance.now()
    for (const each of message as readonly EdgeMessage[]) {
      const job = each.type === 'chunk' ? waiting.get(each.jobId) : undefined
      if (job && job.firstChunk === 0) job.firstChunk = at
    }
  })

  const start = async (file: string, env: Readonly<Record<string, string>>): Promise<Part> => {
    const args = ['--import', 'tsx', join(import.meta.dirname, file)]
    const urls = { NATS_URL: natsServer.url, REDIS_URL: redisServer.url }
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...urls, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    parts.add(child)
    const [says] = (await Promise.race([
      once(createInterface({ input: child.stdout! }), 'line'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`${file} ended: ${code}`))),
    ])) as [string]
    return { pid: child.pid!, says, kill: () => child.kill('SIGKILL') }
  }

  return {
    /** @returns its process, which says where it listens */
    pool: (poolId: string): Promise<Part> => start('pool-process.ts', { POOL_ID: poolId }),
    agents: ({ pools, count, firstKey = 1, slots = 1, tokens = 20, tokenMs = 0 }: Agents) =>
      start('agents-process.ts', {
        POOLS: pools.join(','),
        ...{ COUNT: `${count}`, FIRST_KEY: `${firstKey}`, SLOTS: `${slots}` },
        ...{ TOKENS: `${tokens}`, TOKEN_MS: `${tokenMs}` },
      }),
    workersOf: (poolId: string): number => summaries.get(poolId)?.models[MODEL]?.workers ?? 0,
    /** Offers one job and follows it to its end. @throws where it failed */
    run: async (poolId: string, wallet: Address = walletNumber(1)): Promise<Timed> => {
      const jobId = makeJobId(systemClock.now(), systemClock.randomBytes(16))
      const messages = [{ role: 'user' as const, content: 'Say twenty words.' }]
      const job: OfferJob = {
        ...{ type: 'OfferJob', jobId, attempt: 1, wallet, model: MODEL },
        ...{ outputTokensMax: 1_000, replyTo: EDGE, escrowTx: ESCROW_TX, exclude: [] },
        deadlineAt: addMs(systemClock.now(), WINDOW_MS),
        prompt: { model: MODEL, messages, sampling: {} },
      }
      const ended = new Promise<JobCommand>((end) => waiting.set(jobId, { firstChunk: 0, end }))
      const offered = performance.now()
      const reply = await bus.request<OfferReply>(SUBJECTS.pool(poolId), job, 5_000)
      if (reply.type !== 'taken') throw new Error(`the pool refused: ${reply.reason}`)
      const end = await ended
      const { firstChunk } = waiting.get(jobId)!
      waiting.delete(jobId)
      if (end.type === 'FailWorker') throw new Error(`the job failed: ${end.reason}`)
      return { offered, firstChunk, ended: performance.now() }
    },
    until: (what: string, holds: () => boolean, withinMs = START_MS) =>
      until(what, holds, withinMs),
    close: async () => {
      for (const part of parts) part.kill('SIGKILL')
      await nats.close()
      await Promise.all([natsServer.stop(), redisServer.stop()])
    },
  }
}

export const walletNumber = (n: number): Address => toAddress(`0x${String(n).padStart(40, '0')}`)
/** Where a pool process listens. */
export const targetOf = ({ says }: Part): string => `127.0.0.1:${says}`
