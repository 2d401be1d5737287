import type { JobId } from '../../src/domain/ids.ts'
import { toJobId } from '../../src/domain/ids.ts'
import { unreachable } from '../../src/domain/result.ts'
import type { AskTextSent } from '../../src/messages/edge.ts'
import type { JobCommand } from '../../src/messages/job.ts'
import type {
  DisputeIntent,
  LockIntent,
  RefundIntent,
  SettleIntent,
} from '../../src/messages/lane.ts'
import type { OfferJob, OfferReply, StopJob } from '../../src/messages/pool.ts'
import { partitionOf, SUBJECTS } from '../../src/messages/subjects.ts'
import { type Bus, NoResponders, RequestTimeout } from '../../src/ports/bus.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Ledger, Outputs } from '../../src/ports/ledger.ts'
import type { ActorKind, EffectContext } from '../../src/runtime/kind.ts'
import type { CompletedJob } from './completed.ts'
import { decide } from './decide.ts'
import { due, type JobEffect, rests } from './due.ts'
import type { Edges } from './edges.ts'
import type { KeyProofs } from './key-proofs.ts'
import type { Pools } from './pools.ts'
import {
  evolve,
  isCompleted,
  isRunning,
  type Job,
  type JobEvent,
  type RunningJob,
} from './state.ts'
import type { JobTerms } from './terms.ts'
import { endingOf, reply } from './view.ts'
import type { World } from './world.ts'

export interface JobPorts {
  readonly bus: Bus
  readonly clock: Clock
  readonly ledger: Ledger
  readonly outputs: Outputs
  readonly pools: Pools
  readonly edges: Edges
  readonly keyProofs: Pick<KeyProofs, 'holds'>
}

export type JobKind = ActorKind<Job, JobCommand, JobEvent, JobEffect>

const POOL_ANSWER_MS = 1_000
const EDGE_ANSWER_MS = 1_000

/** Binds the pure job to the world. */
export function jobKind(ports: JobPorts, settings: Pick<World, 'disputeWindowMs'>): JobKind {
  const world: World = {
    ...settings,
    choosePool: (...wanted) => ports.pools.choose(...wanted),
  }
  return {
    subject: (id) => SUBJECTS.jobJournal(toJobId(id)),
    creates: (command) => command.type === 'StartJob',
    admits: (command) => command.type !== 'StartJob' || ports.keyProofs.holds(command),
    decide: (job, command) => decide(job, command, world),
    evolve,
    due,
    rests,
    reply,
    run: (effect, job, context) => run(ports, effect, job, context),
  }
}

/** Where a subject's job lives: both `cmd.<p>.<id>` and `job.<p>.<id>` end in it. */
export const jobOfSubject = (subject: string): string => subject.slice(subject.lastIndexOf('.') + 1)
export const partitionOfJob = (id: string): number => partitionOf(toJobId(id))

async function run(
  ports: JobPorts,
  effect: JobEffect,
  job: Job,
  context: EffectContext<JobCommand>,
): Promise<void> {
  const { bus, clock, ledger, outputs } = ports
  if (job.status === 'abandoned') return ledger.release(job.wallet, job.id)
  const { id, wallet, replyTo } = job.terms
  switch (effect.type) {
    case 'lock':
      return bus.publish(SUBJECTS.lane('lock'), lockIntent(job.terms, effect.abandon))
    case 'settle':
      if (isCompleted(job)) bus.publish(SUBJECTS.lane('settle'), settleIntent(job))
      return
    case 'refund': {
      const intent: RefundIntent = { type: 'refund', jobId: id }
      return bus.publish(SUBJECTS.lane('settle'), intent)
    }
    case 'dispute': {
      if (job.status !== 'disputed') return
      const { claimedHash } = job.dispute
      const intent: DisputeIntent = { type: 'dispute', jobId: id, claimedHash }
      return bus.publish(SUBJECTS.lane('settle'), intent)
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
      return stopWorker(bus, effect, id)
    case 'expire':
      return context.tell({ type: 'ExpireJob', jobId: id, at: clock.now() })
    case 'tell_edge': {
      const ending = endingOf(job)
      if (ending) bus.publish(replyTo, [ending])
      return
    }
    case 'release':
      return ledger.release(wallet, id)
    case 'drop_prompt':
      return outputs.deletePrompt(wallet, id)
    default:
      return unreachable(effect)
  }
}

function lockIntent(terms: JobTerms, abandon: boolean): LockIntent {
  const { id: jobId, wallet, lock: credits, tier } = terms
  return { type: 'lock', jobId, wallet, credits, tier, abandon }
}

function settleIntent(job: CompletedJob): SettleIntent {
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
  }
}

async function offer(
  { bus, clock }: JobPorts,
  { poolId, attempt }: Extract<JobEffect, { type: 'offer' }>,
  job: Job,
  { tell }: EffectContext<JobCommand>,
): Promise<void> {
  if (!isRunning(job) || job.escrow.at !== 'locked') return
  const { id: jobId, wallet, model, outputTokensMax, deadlineAt, replyTo } = job.terms
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
    ...(job.contextAbove === undefined ? {} : { contextAbove: job.contextAbove }),
  }
  try {
    const answer = await bus.request<OfferReply>(SUBJECTS.pool(poolId), message, POOL_ANSWER_MS)
    if (answer.type === 'refused') {
      tell({ type: 'RefuseOffer', jobId, attempt, reason: answer.reason, at: clock.now() })
    }
  } catch (error) {
    // No answer in time: the pool may have taken it. The same offer again is one offer.
    if (!(error instanceof NoResponders)) throw error
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
 * Whether a caller has seen some of the answer. The pool would say so, but it has gone; the edge sees it
 * only when the text of another worker arrives, which may come too late: with that worker's proof.
 */
async function hasSentText(bus: Bus, job: RunningJob): Promise<boolean | undefined> {
  const { id: jobId, stream, replyTo } = job.terms
  if (!stream || job.cancelled || !job.attempt?.worker) return false
  const question: AskTextSent = { type: 'ask_text_sent', jobId }
  try {
    return await bus.request<boolean>(replyTo, question, EDGE_ANSWER_MS)
  } catch (error) {
    if (error instanceof NoResponders) return false // that caller is gone, too
    if (error instanceof RequestTimeout) return undefined
    throw error
  }
}

async function stopWorker(
  bus: Bus,
  { poolId, settle }: Extract<JobEffect, { type: 'stop_worker' }>,
  jobId: JobId,
): Promise<void> {
  const message: StopJob = { type: 'StopJob', jobId, settle }
  try {
    await bus.request(SUBJECTS.pool(poolId), message, POOL_ANSWER_MS)
  } catch (error) {
    // A pool that has gone has stopped.
    if (!(error instanceof NoResponders)) throw error
  }
}
