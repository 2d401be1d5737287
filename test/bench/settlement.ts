// What the two lanes can do alone, without edges, workers or jobs: locks and settlements a second against
// a local node and a real NATS, with so many jobs in flight. A job's lock and its settlement are said as
// its actor says them, and counted when the lane says that they are in a block.

import { writeFileSync } from 'node:fs'
import { makeLane } from '../../actors/settlement/lane.ts'
import { makeLaneMetrics } from '../../actors/settlement/lane-metrics.ts'
import { connectNats } from '../../src/bus/connect.ts'
import { connectChain } from '../../src/chain/connect.ts'
import { makeEscrowWriter } from '../../src/chain/writer.ts'
import { outputHash } from '../../src/domain/hash.ts'
import { type JobId, makeJobId } from '../../src/domain/ids.ts'
import {
  completionDigest,
  domainSeparator,
  registrationDigest,
  sign,
} from '../../src/domain/proof.ts'
import { unixSeconds } from '../../src/domain/time.ts'
import type { JobCommand } from '../../src/messages/job.ts'
import type { LaneIntent, RegisterReply, SettleIntent } from '../../src/messages/lane.ts'
import { LANES, SUBJECTS } from '../../src/messages/subjects.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { makeLog } from '../../src/telemetry/log.ts'
import { addressOf, KEYS, keyBytes, SIGNERS, startChain } from '../fakes/chain/anvil.ts'
import { GAS_TERMS } from '../fakes/chain/gas-terms.ts'
import { lock } from '../fakes/chain/intents.ts'
import { noMetrics } from '../fakes/no-metrics.ts'
import { startNats } from '../integration/servers.ts'
import { cpuMsOfTree } from './resources.ts'

const LOADS = [64, 500]
const JOBS = Number(process.env.BENCH_JOBS ?? 3_000)
const WARM_UP = 300
const ITEMS_MAX = 200
const STEP_MS = 120_000

interface Measured {
  readonly 'in flight': number
  readonly what: 'lock' | 'settle'
  readonly 'a second': number
  readonly 'jobs/transaction': string
  readonly 'gas a job': number
  readonly 'CPU ms a job: lanes': string
  readonly chain: string
  readonly nats: string
}

const log = makeLog('bench', process.env.LOG_LEVEL ?? 'error')
const [local, natsServer] = await Promise.all([
  startChain(BigInt(8 * 2 * LOADS.length * (JOBS + WARM_UP) + 1_000)),
  startNats(),
])
const { rpcUrl, contracts } = local
const connection = { servers: natsServer.url, log }
// The jobs have a connection of their own, as they are other processes.
const [nats, jobs] = await Promise.all(
  ['lanes', 'jobs'].map((name) => connectNats({ ...connection, name })),
)
const chain = await connectChain({ rpcUrl, contracts, log })
const writer = makeEscrowWriter({ rpcUrl, contracts, signers: SIGNERS, log, terms: GAS_TERMS })
const journal = await nats!.journal('TX')
const lanes = LANES.map((lane) => {
  const { reader } = chain
  const common = { bus: nats!.bus, journal, writer, reader, clock: systemClock, log }
  const metrics = makeLaneMetrics(noMetrics)
  const terms = { itemsMax: ITEMS_MAX, confirmLockAt: 'included' } as const
  return makeLane({ ...common, ...terms, lane, metrics })
})
try {
  for (const lane of lanes) await lane.start()
  const workerId = await register()
  await through(newJobs(WARM_UP), 64, workerId)
  const results: Measured[] = []
  for (const inFlight of LOADS) results.push(...(await through(newJobs(JOBS), inFlight, workerId)))
  console.log(`\n${JOBS} jobs, at most ${ITEMS_MAX} a transaction\n`)
  console.table(results)
  const file = process.env.BENCH_JSON
  if (file) writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
} finally {
  for (const lane of lanes) await lane.stop()
  await Promise.all([chain.close(), writer.close(), nats!.close(), jobs!.close()])
  await Promise.all([local.stop(), natsServer.stop()])
}

async function through(ids: readonly JobId[], inFlight: number, workerId: number) {
  const wallet = addressOf(KEYS.wallet)
  const settlements = ids.map((jobId) => settleOf(jobId, workerId))
  const locks = ids.map((jobId) => lock(jobId, { wallet }))
  return [await measure('lock', locks, inFlight), await measure('settle', settlements, inFlight)]
}

async function measure(
  what: Measured['what'],
  intents: readonly LaneIntent[],
  inFlight: number,
): Promise<Measured> {
  const [from, before] = [await chain.reader.head(), cpu()]
  const began = performance.now()
  await say(what, intents, inFlight)
  const seconds = (performance.now() - began) / 1_000
  const after = cpu()
  const { gas, transactions } = await gasSince(from.number + 1)
  const each = (part: keyof typeof before) =>
    ((after[part] - before[part]) / intents.length).toFixed(2)
  return {
    'in flight': inFlight,
    what,
    'a second': Math.round(intents.length / seconds),
    'jobs/transaction': (intents.length / transactions).toFixed(1),
    'gas a job': Math.round(Number(gas) / intents.length),
    'CPU ms a job: lanes': each('lanes'),
    chain: each('chain'),
    nats: each('nats'),
  }
}

/** Says each intent as soon as one before it is done, so many at a time. */
async function say(
  what: Measured['what'],
  intents: readonly LaneIntent[],
  inFlight: number,
): Promise<void> {
  const waiting = new Set<JobId>()
  const rest = intents.values()
  const next = () => {
    const { value } = rest.next()
    if (!value) return
    waiting.add(value.jobId)
    jobs!.bus.publish(SUBJECTS.lane(what), value)
  }
  let end = () => {}
  try {
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new Error(`${waiting.size} jobs wait for their ${what} after ${STEP_MS} ms`))
      }, STEP_MS)
      const done = (jobId: JobId) => {
        if (!waiting.delete(jobId)) return
        next()
        if (waiting.size === 0) resolve()
      }
      const stop = what === 'lock' ? hearLocks(done, reject) : seeSettlements(done, reject)
      end = () => {
        clearTimeout(late)
        stop()
      }
      for (let i = 0; i < inFlight; i++) next()
    })
  } finally {
    end()
  }
}

type Done = (jobId: JobId) => void
type Failed = (error: unknown) => void

/** The lane tells jobs of their locks itself. */
function hearLocks(done: Done, failed: Failed): () => void {
  const heard = jobs!.bus.subscribe('cmd.*.*.*', (message, _subject, respond) => {
    const command = message as JobCommand
    respond({ type: 'accepted' })
    if (command.type === 'ConfirmLock') done(command.jobId)
    if (command.type === 'RefuseLock') failed(new Error(`${command.jobId}: ${command.reason}`))
  })
  return () => heard.unsubscribe()
}

/** Of settlements the chain watcher tells, by reading blocks: so it is done here. */
function seeSettlements(done: Done, failed: Failed): () => void {
  let read = chain.reader.head().then(({ number }) => number)
  const look = () => {
    read = read.then(async (last) => {
      const { number } = await chain.reader.head()
      if (number === last) return last
      for (const fact of await chain.reader.facts(last + 1, number)) {
        if (fact.type === 'settled') done(fact.jobId)
        if (fact.type === 'skipped') failed(new Error(`${fact.jobId}: ${fact.reason}`))
      }
      return number
    })
    read.catch(failed)
  }
  return chain.reader.onBlock(look)
}

function cpu() {
  const { user, system } = process.cpuUsage()
  return {
    lanes: (user + system) / 1_000,
    chain: cpuMsOfTree(local.pid),
    nats: cpuMsOfTree(natsServer.pid),
  }
}

async function gasSince(first: number): Promise<{ gas: bigint; transactions: number }> {
  const { number: last } = await chain.reader.head()
  let [gas, transactions] = [0n, 0]
  for (let number = first; number <= last; number++) {
    const block = await local.rpc.call<{ gasUsed: `0x${string}`; transactions: unknown[] }>(
      'eth_getBlockByNumber',
      [`0x${number.toString(16)}`, false],
    )
    gas += BigInt(block.gasUsed)
    transactions += block.transactions.length
  }
  return { gas, transactions }
}

async function register(): Promise<number> {
  const { chainId, workerStaking: contract } = contracts
  const signer = addressOf(KEYS.worker)
  const separator = domainSeparator({ name: 'WorkerStaking', chainId, contract })
  const signature = sign(registrationDigest(separator, signer, signer), keyBytes(KEYS.worker))
  const wish = { signer, payee: signer, signature }
  const reply = await jobs!.bus.request<RegisterReply>(SUBJECTS.workerRegister, wish, 10_000)
  if (reply.type !== 'registered') throw new Error(`the worker was not registered: ${reply.type}`)
  return reply.workerId
}

function settleOf(jobId: JobId, workerId: number): SettleIntent {
  const { chainId, jobEscrow: contract } = contracts
  const completedAt = unixSeconds(systemClock.now())
  const completion = { jobId, outputHash: outputHash(jobId), outputTokens: 100, completedAt }
  const separator = domainSeparator({ name: 'JobEscrow', chainId, contract })
  const signature = sign(completionDigest(separator, completion), keyBytes(KEYS.worker))
  return { type: 'settle', jobId, completion, workerId, signature, notify: 'edge.none' }
}

function newJobs(count: number): JobId[] {
  return Array.from({ length: count }, () =>
    makeJobId(systemClock.now(), systemClock.randomBytes(16)),
  )
}
