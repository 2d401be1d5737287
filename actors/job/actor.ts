import type { Address } from '../../src/domain/ids.ts'
import { toJobId } from '../../src/domain/ids.ts'
import { unreachable } from '../../src/domain/result.ts'
import { toUnixMs } from '../../src/domain/time.ts'
import type { AskTextSent } from '../../src/messages/edge.ts'
import type { JobCommand } from '../../src/messages/job.ts'
import type {
  DisputeIntent,
  LockIntent,
  RefundIntent,
  SettleIntent,
} from '../../src/messages/lane.ts'
import { partitionOf } from '../../src/messages/partitions.ts'
import type { OfferJob, OfferReply, StopJob, StopReply } from '../../src/messages/pool.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import { type Bus, NoResponders, RequestTimeout } from '../../src/ports/bus.ts'
import { type Clock, pause } from '../../src/ports/clock.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import type { ActorKind, EffectContext } from '../../src/runtime/kind.ts'
import { TurnOutbox } from '../../src/runtime/turn-outbox.ts'
import { admits, type Proofs } from './admission.ts'
import { isProven, type ProvenJob } from './completed.ts'
import { decide } from './decide.ts'
import { due, dueAhead, type JobEffect, rests } from './due.ts'
import type { Edges } from './edges.ts'
import type { JobEvent } from './events.ts'
import { heardBy } from './heard-times.ts'
import type { Pools } from './pools.ts'
import { Prompts } from './prompts.ts'
import type { RunningJob } from './running.ts'
import { type BegunJob, evolve, isCompleted, isRunning, type Job } from './state.ts'
import { jobTrace, traced } from './trace-context.ts'
import { answer, endingOf } from './view.ts'
import type { World } from './world.ts'

export interface JobPorts extends Proofs {
  readonly bus: Bus
  readonly clock: Clock
  readonly ledger: Ledger
  readonly pools: Pools
  readonly edges: Edges
  /** Whether anybody is told of the wallet's events. */
  readonly isWatched: (wallet: Address) => boolean
}

/** Where jobs say what asks for no answer: many of them the same lane or edge, in one turn. */
interface Around extends JobPorts {
  readonly outbox: TurnOutbox
  readonly prompts: Prompts
}

export type JobKind = ActorKind<Job, JobCommand, JobEvent, JobEffect>

const POOL_ANSWER_MS = 1_000
const EDGE_ANSWER_MS = 1_000
/** More than the timer of a host that is busy. */
const EXPIRY_LATE_MS = 500
/** A pool repeats a report that was not answered every two seconds at least. */
const REPORTS_AGAIN_MS = 2_500

/** Binds the pure job to the world. */
export function jobKind(ports: JobPorts, settings: Pick<World, 'disputeWindowMs'>): JobKind {
  const world: World = {
    ...settings,
    choosePool: (...wanted) => ports.pools.choose(...wanted),
  }
  const around: Around = { ...ports, outbox: new TurnOutbox(ports.bus), prompts: new Prompts() }
  return {
    subject: (id) => SUBJECTS.jobJournal(toJobId(id)),
    creates: (command) => command.type === 'StartJob',
    admits: (command) => command.type !== 'StartJob' || admits(ports, command),
    traced: (command, trace) => (command.type === 'StartJob' ? { ...command, trace } : command),
    begun: (command) => {
      if (command.type === 'StartJob') around.prompts.keep(command)
    },
    decide: (job, command) => decide(job, heardBy(ports.clock.now(), job, command), world),
    evolve,
    due,
    dueAhead,
    rests,
    reply: answer,
    run: (effect, job, context) => run(around, effect, job, context),
  }
}

/** Where a subject's job lives: both `cmd.<p>.<id>` and `job.<p>.<id>` end in it. */
export const jobOfSubject = (subject: string): string => subject.slice(subject.lastIndexOf('.') + 1)
export const partitionOfJob = (id: string): number => partitionOf(toJobId(id))

async function run(
  ports: Around,
  effect: JobEffect,
  job: Job,
  context: EffectContext<JobCommand>,
): Promise<void> {
  const { clock, ledger, outbox, prompts } = ports
  if (job.status === 'abandoned') return ledger.release(job.wallet, job.id)
  const { id, wallet, replyTo } = job.terms
  switch (effect.type) {
    case 'lock':
      return outbox.add(SUBJECTS.lane('lock'), lockIntent(job, effect.abandon))
    case 'settle':
      if (isCompleted(job) && isProven(job)) {
        outbox.add(SUBJECTS.lane('settle'), settleIntent(job))
      }
      return
    case 'refund': {
      const intent: RefundIntent = { type: 'refund', jobId: id, ...traced(job.terms) }
      return outbox.add(SUBJECTS.lane('settle'), intent)
    }
    case 'dispute': {
      if (job.status !== 'disputed') return
      const { claimedHash } = job.dispute
      const about = { jobId: id, claimedHash, ...traced(job.terms) }
      const intent: DisputeIntent = { type: 'dispute', ...about }
      return outbox.add(SUBJECTS.lane('settle'), intent)
    }
    case 'offer':
      return offer(ports, effect, job, context)
    case 'watch_pool':
      return watchPool(ports, effect, job, context)
    case 'watch_edge':
      if (ports.edges.isGone(replyTo)) {
        context.tell({ type: 'CancelJob', jobId: id, replyTo, at: clock.now() })
      }
      return
    case 'stop_worker':
      return stopWorker(ports, effect, job, context)
    case 'expire':
      // So late, nobody owned this job at its deadline: a proof that came in time is said again first.
      if (clock.now() - effect.at > EXPIRY_LATE_MS) await pause(clock, REPORTS_AGAIN_MS)
      // It may be early by a clock that was set back since: the window has passed for all that.
      return context.tell({
        type: 'ExpireJob',
        jobId: id,
        at: toUnixMs(Math.max(clock.now(), effect.at)),
      })
    case 'tell_edge': {
      const ending = endingOf(job)
      if (ending) outbox.add(replyTo, ending)
      return
    }
    case 'release':
      return ledger.release(wallet, id)
    case 'forget_prompt':
      prompts.forget(id)
      return
    default:
      return unreachable(effect)
  }
}

function lockIntent(job: BegunJob, abandon: boolean): LockIntent {
  const { id: jobId, wallet, lock: credits, tier } = job.terms
  const again = isCompleted(job) ? { again: true } : {}
  return { type: 'lock', jobId, wallet, credits, tier, abandon, ...again, ...traced(job.terms) }
}

function settleIntent(job: ProvenJob): SettleIntent {
  const { outputHash, signedAt: completedAt, usage, signature } = job
  return {
    type: 'settle',
    jobId: job.terms.id,
    completion: {
      jobId: job.terms.id,
      outputHash,
      outputTokens: usage.completionTokens,
      completedAt,
    },
    workerId: job.worker.id,
    signature,
    notify: job.terms.replyTo,
    ...traced(job.terms),
  }
}

async function offer(
  { bus, clock, pools, prompts, isWatched }: Around,
  { poolId, attempt }: Extract<JobEffect, { type: 'offer' }>,
  job: Job,
  { tell }: EffectContext<JobCommand>,
): Promise<void> {
  if (!isRunning(job) || job.escrow.at !== 'locked') return
  const { id: jobId, wallet, model, outputTokensMax, deadlineAt, replyTo, stream } = job.terms
  const prompt = prompts.take(jobId)
  const message: OfferJob = {
    type: 'OfferJob',
    jobId,
    attempt,
    wallet,
    model,
    outputTokensMax,
    deadlineAt,
    replyTo,
    escrowTx: job.escrow.tx,
    exclude: job.excludeWorkers,
    sentAt: clock.now(),
    assignLate: !stream && !isWatched(wallet),
    ...(job.contextAbove === undefined ? {} : { contextAbove: job.contextAbove }),
    ...(prompt ? { prompt } : {}),
  }
  try {
    const trace = jobTrace(job.terms)
    const pool = SUBJECTS.pool(poolId)
    const told = await bus.request<OfferReply>(pool, message, POOL_ANSWER_MS, trace)
    if (told.type === 'refused') {
      tell({ type: 'RefuseOffer', jobId, attempt, reason: told.reason, at: clock.now() })
    }
  } catch (error) {
    // No answer in time: the pool may have taken it. The same offer again is one offer.
    if (!(error instanceof NoResponders)) throw error
    // It may only be connecting anew, as all that were at a server of NATS that went: the last one is waited for.
    const elsewhere = pools.choose(model, [...job.excludePools, poolId], job.contextAbove)
    if (elsewhere === undefined && !pools.isGone(poolId)) throw error
    // Or it heard this offer before, and has begun: as long as it lives it may go on.
    if ((await hasSentText(bus, job)) !== false) throw error
    tell({ type: 'RefuseOffer', jobId, attempt, reason: 'pool_gone', at: clock.now() })
  }
}

async function watchPool(
  { bus, pools, clock }: JobPorts,
  { poolId, attempt }: Extract<JobEffect, { type: 'watch_pool' }>,
  job: Job,
  { tell }: EffectContext<JobCommand>,
): Promise<void> {
  if (!isRunning(job) || !pools.isGone(poolId)) return
  const textSent = await hasSentText(bus, job)
  // The edge lives and does not answer: it is asked again at the next look.
  if (textSent === undefined) return
  const at = clock.now()
  tell({ type: 'FailWorker', jobId: job.terms.id, attempt, reason: 'pool_gone', textSent, at })
}

/**
 * Whether a caller has seen some of the answer. The pool would say so, but it has gone, perhaps with
 * the word that a worker had begun; the edge sees it only when the text of another worker arrives,
 * which may come too late: with that worker's proof.
 */
async function hasSentText(bus: Bus, job: RunningJob): Promise<boolean | undefined> {
  const { id: jobId, stream, replyTo } = job.terms
  if (!stream || job.cancelled || !job.attempt) return false
  const { number: attempt } = job.attempt
  const question: AskTextSent = { type: 'ask_text_sent', jobId, attempt }
  try {
    return await bus.request<boolean>(replyTo, question, EDGE_ANSWER_MS)
  } catch (error) {
    if (error instanceof NoResponders) return false // that caller is gone, too
    if (error instanceof RequestTimeout) return undefined
    throw error
  }
}

async function stopWorker(
  { bus, clock, pools }: JobPorts,
  { poolId, settle }: Extract<JobEffect, { type: 'stop_worker' }>,
  job: BegunJob,
  { tell }: EffectContext<JobCommand>,
): Promise<void> {
  const jobId = job.terms.id
  const under = isRunning(job) ? job.attempt : null
  const message: StopJob = {
    type: 'StopJob',
    jobId,
    settle,
    ...(under ? { attempt: under.number } : {}),
  }
  try {
    const { type } = await bus.request<StopReply>(SUBJECTS.pool(poolId), message, POOL_ANSWER_MS)
    if (type === 'taken' || !under) return
    // The offer is not made again to whoever has no caller: without this the job would wait for its deadline.
    const { number: attempt } = under
    const [reason, textSent, at] = ['cancelled', false, clock.now()] as const
    tell({ type: 'FailWorker', jobId, attempt, reason, textSent, at })
  } catch (error) {
    // A pool that has gone has stopped. One that only connects anew goes on: it is told again.
    if (!(error instanceof NoResponders && pools.isGone(poolId))) throw error
  }
}
