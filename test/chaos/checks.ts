import { makeRpc } from '../../src/chain/rpc/json-rpc.ts'
import { waitFor } from '../../src/network/waiting.ts'
import { lockedJobs } from '../e2e/books.ts'
import { hashOf } from '../e2e/calls.ts'
import type { JobOnChain } from '../e2e/chain-ledger.ts'
import { type Answer, bodyOf, send } from '../e2e/customer.ts'
import type { Job } from '../e2e/public-shapes.ts'
import { type Kept, nameOfGot } from './client.ts'
import type { Fault } from './faults/fault.ts'
import type { World } from './world.ts'

/** What a caller of a network that has its troubles may be told. Anything else is a fault of ours. */
const HONEST = new Set([
  '503 service_unavailable',
  '503 no_workers_available',
  '504 job_timeout',
  '500 internal_error',
])
/** Of a stream that had begun: its worker was lost, and another one has answered, which is charged. */
const ANSWERED_ANEW = 'answer_gone'
/** The same, where the stream had begun. */
const HONEST_IN_STREAM = new Set([...[...HONEST].map((told) => told.split(' ')[1]), ANSWERED_ANEW])
const ENDED = ['settled', 'failed', 'refunded', 'disputed']
const AT_ONCE = 8
const END_MS = 60_000

/**
 * Holds each answer against the chain and against what the job says of itself now.
 * @param mayLose what the fault may do to connections of callers
 * @returns what does not fit, in words
 */
export async function flawsOf(
  world: World,
  kept: readonly Kept[],
  mayLose: NonNullable<Fault['mayLose']>,
): Promise<string[]> {
  const ends = new Map<Kept, Job | string>()
  await someAtOnce(kept, async (call) => {
    if (call.jobId !== null) ends.set(call, await endedJob(call, call.jobId))
  })
  // Only now: a chain that was read before has not seen the end of the last jobs.
  const chain = await lockedJobs(world.network)
  const rpc = makeRpc(world.network.rpc_url)
  const isMined = async (hash: string) =>
    (await rpc.call('eth_getTransactionReceipt', [hash])) !== null
  const flaws: string[] = []
  try {
    await someAtOnce(kept, async (call) => {
      const found = await flawsOfOne(call, ends.get(call), chain, isMined)
      const { got } = call
      if (got.type === 'lost' && got.how !== 'left' && !mayLose.includes(got.how)) {
        found.push(`the connection was ${got.how}: ${got.why}`)
      }
      flaws.push(...found.map((flaw) => `${call.what} ${call.jobId ?? '(no job)'}: ${flaw}`))
    })
  } finally {
    await rpc.close()
  }
  return [...flaws, ...paidTwice(kept)]
}

async function someAtOnce<T>(all: readonly T[], look: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values()
  const line = async () => {
    for (const one of rest) await look(one)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, line))
}

/** At the end of a network: every job that a caller was told of is in the wallet's list, once. */
export async function checkAll(world: World, kept: readonly Kept[]): Promise<string[]> {
  const flaws: string[] = []
  for (const { customer } of world.callers) {
    const listed = new Map<string, Job>()
    let before: string | null = null
    do {
      const page: Answer = await send(
        customer,
        `/jobs?limit=100${before ? `&before=${before}` : ''}`,
      )
      const { data, next_cursor } = bodyOf<JobPage>(page)
      for (const job of data) {
        if (listed.has(job.id)) flaws.push(`${job.id} is in the list twice`)
        listed.set(job.id, job)
      }
      before = next_cursor
    } while (before !== null)
    for (const { got, jobId, caller } of kept) {
      if (caller.customer !== customer || jobId === null) continue
      const status = listed.get(jobId)?.status
      if (got.type === 'whole' && status !== 'settled')
        flaws.push(`${jobId} is listed as ${status}`)
    }
  }
  return flaws
}

interface JobPage {
  readonly data: readonly Job[]
  readonly next_cursor: string | null
}

type IsMined = (hash: string) => Promise<boolean>

async function flawsOfOne(
  call: Kept,
  job: Job | string | undefined,
  chain: ReadonlyMap<string, JobOnChain>,
  isMined: IsMined,
): Promise<string[]> {
  const { got, jobId } = call
  if (got.type === 'nonsense') return [got.why]
  if (got.type === 'refused' && !HONEST.has(nameOfGot(call))) return [`was told ${nameOfGot(call)}`]
  if (got.type === 'torn' && !HONEST_IN_STREAM.has(got.error.code)) {
    return [`a stream ended with ${got.error.code}`]
  }
  if (jobId === null || job === undefined) {
    return got.type === 'whole' ? ['an answer without a job'] : []
  }
  if (typeof job === 'string') {
    // Refused before the job was there: then there is nothing on chain either.
    return got.type === 'refused' && !chain.has(jobId) ? [] : [job]
  }
  const locked = chain.get(jobId)
  return [
    ...(got.type === 'whole' ? wholeFlaws(call, job, locked) : otherFlaws(call, job, locked)),
    ...jobFlaws(job, locked),
    ...(await receiptFlaws(call, locked, isMined)),
  ]
}

/** The job once it has come to an end; in words what it is instead. */
async function endedJob({ caller }: Kept, jobId: string): Promise<Job | string> {
  let last = 'never read'
  const found = await waitFor(async () => {
    const answer = await send(caller.customer, `/jobs/${jobId}`).catch((error: unknown) => error)
    if (answer instanceof Error || !isAnswer(answer)) {
      last = String(answer)
      return undefined
    }
    last = `${answer.status} ${answer.text}`
    if (answer.status === 404) return last
    const job = answer.status === 200 ? (JSON.parse(answer.text) as Job) : undefined
    return job && isOver(job) ? job : undefined
  }, END_MS)
  return found ?? `has no end after ${END_MS} ms: ${last}`
}

/** Of a lock that is to be given back, in a block. */
const isOver = ({ status, on_chain: { escrow_tx, block_number } }: Job): boolean =>
  ENDED.includes(status) && (escrow_tx === null || block_number !== null)

const isAnswer = (value: unknown): value is { status: number; text: string } =>
  typeof value === 'object' && value !== null && 'status' in value

function wholeFlaws(call: Kept, job: Job, locked: JobOnChain | undefined): string[] {
  const got = call.got as Extract<Kept['got'], { type: 'whole' }>
  const end = locked?.end
  if (job.status !== 'settled' || end?.type !== 'settled') {
    return [`answered whole, but the job is ${job.status} and on chain ${end?.type ?? 'not ended'}`]
  }
  const hash = hashOf(got.text)
  return [
    ...differs('hash on chain', `sha256:${end.outputHash.replace(/^0x/, '')}`, hash),
    ...differs('proof_hash', job.on_chain.proof_hash, hash),
    ...differs('x-svc-worker', call.worker, job.worker_address ?? null),
    ...(got.charged === null ? [] : differs('charge told', got.charged, Number(end.charged))),
    ...(got.tokens === null
      ? []
      : differs('completion_tokens', job.usage?.completion_tokens ?? null, got.tokens)),
  ]
}

function otherFlaws({ got }: Kept, job: Job, locked: JobOnChain | undefined): string[] {
  // Whoever left, or lost the connection, may have been served.
  if (got.type === 'lost' || got.type === 'whole') return []
  if (got.type === 'torn' && got.error.code === ANSWERED_ANEW) {
    const told = got.error.details?.credits_charged
    return differs('charge told', told, locked?.end?.type === 'settled' ? job.credits_charged : 0)
  }
  if (locked?.end?.type === 'settled' || !['failed', 'refunded'].includes(job.status)) {
    return [`was told ${got.type}, but the job is ${job.status}, on chain ${locked?.end?.type}`]
  }
  if (got.type === 'refused' && got.status === 504) {
    const { job_id: told, credits_refunded: credits } = got.error.details ?? {}
    return [
      ...differs('status after 504', job.status, 'refunded'),
      ...differs('job_id told', told, job.id),
      ...(locked ? differs('credits_refunded', credits, Number(locked.locked)) : []),
    ]
  }
  return []
}

/** What the job says of itself is what the chain says. */
function jobFlaws(job: Job, locked: JobOnChain | undefined): string[] {
  const end = locked?.end
  if (locked && !end) return [`${job.status}, and still locked on chain`]
  if (job.status === 'settled' && end?.type !== 'settled') return ['settled, but not on chain']
  if (job.status !== 'settled' && end?.type === 'settled')
    return [`${job.status}, but paid on chain`]
  return [
    ...differs(
      'credits_charged',
      job.credits_charged,
      Number(end?.type === 'settled' ? end.charged : 0),
    ),
    ...(locked ? differs('escrow_tx', job.on_chain.escrow_tx, locked.lockTx) : []),
    ...(end?.type === 'settled'
      ? differs('settlement_tx', job.on_chain.settlement_tx, end.tx)
      : []),
    ...(end?.type === 'refunded' ? differs('refund_tx', job.on_chain.refund_tx, end.tx) : []),
  ]
}

/** A header may name an attempt that was replaced; never another transaction that was mined. */
async function receiptFlaws(call: Kept, locked: JobOnChain | undefined, isMined: IsMined) {
  const end = locked?.end
  const told: [string, string | null, string | undefined][] = [
    ['x-svc-tx-hash', call.lockTx, locked?.lockTx],
    ['x-svc-settlement-tx', call.settlementTx, end?.type === 'settled' ? end.tx : undefined],
    ['refund_tx', refundTold(call), end?.type === 'refunded' ? end.tx : undefined],
  ]
  const flaws: string[] = []
  for (const [name, hash, mined] of told) {
    if (hash === null || hash === mined) continue
    if (await isMined(hash))
      flaws.push(`${name} tells ${hash}, which is mined, where ${mined} is it`)
  }
  return flaws
}

function refundTold({ got }: Kept): string | null {
  const told = got.type === 'refused' ? got.error.details?.refund_tx : undefined
  return typeof told === 'string' ? told : null
}

/** The same Idempotency-Key has one answer. */
function paidTwice(kept: readonly Kept[]): string[] {
  const jobs = new Map<string, string>()
  return kept.flatMap(({ key, got, jobId }) => {
    if (key === undefined || got.type !== 'whole' || jobId === null) return []
    const first = jobs.get(key) ?? jobId
    jobs.set(key, first)
    return first === jobId ? [] : [`one key, two answers: ${first} and ${jobId}`]
  })
}

const differs = (what: string, found: unknown, wanted: unknown): string[] =>
  found === wanted ? [] : [`${what} is ${String(found)}, not ${String(wanted)}`]
