import type { Balances } from '../../api/balances.ts'
import { refuse } from '../../api/http/errors.ts'
import type { Jobs } from '../../api/jobs/jobs.ts'
import { type Credits, NO_CREDITS } from '../../domain/credits.ts'
import type { JobId } from '../../domain/ids.ts'
import { addMs, type DurationMs } from '../../domain/time.ts'
import type { JobReply, JoinHolder } from '../../messages/job-reply.ts'
import type { JobView } from '../../messages/job-view.ts'
import { type Clock, pause } from '../../ports/clock.ts'
import type { Ledger } from '../../ports/ledger.ts'
import type { Log } from '../../telemetry/log.ts'
import { Seldom } from '../../telemetry/seldom.ts'
import type { Caller } from '../callers/auth.ts'
import type { Seat, SharedJob } from '../waiting/shared-job.ts'
import type { SharedJobs } from '../waiting/shared-jobs.ts'
import type { WaitedJob } from '../waiting/waited-job.ts'
import type { ChatOrder } from './chat-request.ts'
import type { JoinKey } from './join-key.ts'

/** What became of the request that a retried one repeats. */
export type Earlier =
  | { readonly type: 'joined'; readonly seat: Seat; readonly job: WaitedJob }
  | { readonly type: 'none' }
  /** It failed, so that a new job may take its place. `returning`: its lock is still on its way. */
  | { readonly type: 'failed'; readonly jobId: JobId; readonly returning: Credits }

export interface Joining {
  /**
   * @param holder the job of this key, where it is known
   * @throws {RefusalError} the key is another request's, or nobody can tell now
   */
  join(caller: Caller, order: ChatOrder, key: JoinKey, holder?: JoinHolder): Promise<Earlier>
}

interface Options {
  readonly sharedJobs: SharedJobs
  readonly jobs: Jobs
  readonly ledger: Ledger
  readonly balances: Balances
  readonly clock: Clock
  readonly log: Log
  readonly jobWindowMs: DurationMs
}

/** An edge begins a job within a moment of its reservation; past this it has died on the way. */
const BEGUN_WITHIN_MS = 3_000
const LOOK_MS = 150

export function makeJoining(options: Options): Joining {
  const { sharedJobs, jobs, ledger, balances, clock, jobWindowMs } = options
  const looking: Looking = { ledger, seldom: new Seldom(clock, options.log) }

  const here = (shared: SharedJob | undefined) => (shared?.followed.failed ? undefined : shared)

  const sit = async (shared: SharedJob, caller: Caller): Promise<Earlier> => {
    const seat = shared.enter()
    const remaining = await balances.glance(caller.wallet)
    return { type: 'joined', seat, job: { ...shared.job, caller, remaining } }
  }

  const open = (view: JobView, caller: Caller, order: ChatOrder, key: JoinKey): SharedJob =>
    sharedJobs.open(
      {
        jobId: view.id,
        caller,
        model: view.model,
        lock: view.lock,
        prompt: order.prompt,
        remaining: undefined,
        at: view.createdAt,
        deadlineAt: addMs(view.createdAt, jobWindowMs),
        join: key,
      },
      'joined',
    )

  return {
    join: async (caller, order, key, holder) => {
      const until = clock.monotonic() + BEGUN_WITHIN_MS
      for (;;) {
        const known = here(sharedJobs.findByKey(caller.wallet, key.key))
        if (known?.job.join) {
          requireSameBody(key, known.job.join)
          return sit(known, caller)
        }
        const found = holder ?? (await lookUp(looking, caller, key))
        if (!found) return { type: 'none' }
        requireSameBody(key, found)
        const reply = required(await jobs.join(found.jobId, caller.wallet))
        if (reply.type === 'refused') return gone(found.jobId)
        if (reply.type === 'accepted') {
          if (isFailed(reply)) return failed(reply.view)
          const shared = here(sharedJobs.find(found.jobId)) ?? open(reply.view, caller, order, key)
          const joined = sit(shared, caller)
          // Whoever left it elsewhere has noted that it ends.
          if (!reply.ending) void balances.glanceAfter(caller.wallet, found.jobId, reply.view.lock)
          shared.followed.learn(reply)
          return joined
        }
        if (clock.monotonic() >= until) {
          // A tombstone: should its edge live after all, its job can not begin any more.
          const abandoned = required(await jobs.abandon(found.jobId, caller.wallet))
          if (abandoned.type !== 'accepted') return gone(found.jobId)
        }
        await pause(clock, LOOK_MS)
      }
    },
  }
}

interface Looking {
  readonly ledger: Ledger
  readonly seldom: Seldom
}

async function lookUp(
  { ledger, seldom }: Looking,
  { wallet }: Caller,
  { key }: JoinKey,
): Promise<JoinHolder | undefined> {
  try {
    return await ledger.joinable(wallet, key)
  } catch (error) {
    seldom.warn({ err: error, wallet }, 'ledger: cannot look for the job of a retried request')
    throw cannotTell()
  }
}

function requireSameBody(key: JoinKey, { bodyDigest }: Pick<JoinHolder, 'bodyDigest'>): void {
  if (key.bodyDigest === bodyDigest) return
  throw refuse(
    'invalid_request',
    'This `Idempotency-Key` was sent before with another body. The same key repeats the same ' +
      'request; give a new request a key of its own.',
    { param: 'Idempotency-Key' },
  )
}

function required(reply: JobReply | undefined): JobReply {
  if (reply === undefined) throw cannotTell()
  return reply
}

const cannotTell = () =>
  refuse(
    'service_unavailable',
    'Whether this retried request is being answered already cannot be told now; try again shortly.',
  )

const gone = (jobId: JobId): Earlier => ({ type: 'failed', jobId, returning: NO_CREDITS })

/**
 * Ended without an answer; of a timeout the ending is told only with the refund's hash. One that is paid for, and
 * whose journal has lost the answer, is not asked for and paid for once more.
 */
const isFailed = ({ ending, view }: Extract<JobReply, { type: 'accepted' }>): boolean =>
  ending
    ? ending.type === 'failed' && ending.refusal.code !== 'answer_gone'
    : view.status === 'refunded'

/** A lock on chain whose refund is not mined yet. */
function failed({ id, lock, escrowTx, block }: JobView): Earlier {
  const returning = escrowTx !== null && block === null ? lock : NO_CREDITS
  return { type: 'failed', jobId: id, returning }
}
