import type { Address, JobId } from '../../src/domain/ids.ts'
import { keepNewest } from '../../src/domain/newest.ts'
import { unreachable } from '../../src/domain/result.ts'
import {
  type DisputeIntent,
  findsNoLock,
  type LaneIntent,
  type LockIntent,
  type RefundIntent,
  type RegisterWorker,
  type SettleIntent,
} from '../../src/messages/lane.ts'
import type { Batch } from '../../src/ports/escrow.ts'
import type { Outcome } from './outcome.ts'

/**
 * What a lane holds in memory: what waits, what is under way, what became of the last jobs. No
 * effects here, and nothing that may not be lost: jobs repeat their intents. Times are of the monotonic
 * clock: the other one may be set.
 */
export interface LaneQueue {
  /** By kind, in the order of arrival. */
  readonly waiting: {
    readonly lock: Map<JobId, LockIntent>
    readonly settle: Map<JobId, SettleIntent>
    readonly refund: Map<JobId, RefundIntent>
    readonly dispute: Map<JobId, DisputeIntent>
    readonly register: Map<Address, RegisterWorker>
  }
  /** Parts of a batch that reverted; they go before all else. */
  readonly again: Batch[]
  /** Intents in a transaction, or being looked up on chain. */
  readonly underWay: Set<IntentKey>
  /** When each of those that wait or are under way came in, oldest first. */
  readonly arrived: Map<IntentKey, number>
  /** The latest outcomes, oldest first. */
  readonly done: Map<IntentKey, Done>
  lastKind: Batch['type'] | undefined
}

export type IntentKey = `${LaneIntent['type']} ${JobId}`
export interface Done {
  readonly outcome: Outcome
  readonly at: number
}

export const keyOf = (intent: Pick<LaneIntent, 'type' | 'jobId'>): IntentKey =>
  `${intent.type} ${intent.jobId}`

/** What is to be done at once about an intent that has arrived. */
export type Answer =
  | { readonly type: 'wait' }
  | { readonly type: 'tell'; readonly outcome: Outcome }
  /** `notBefore`: a block that holds the answer; a node that has it not yet cannot tell. */
  | { readonly type: 'ask_chain'; readonly notBefore?: number }

const DONE_MAX = 100_000
/**
 * A job that still asks for its settlement so long after it was seen in a block: perhaps the chain
 * has gone back, and the settlement with it.
 */
const RECHECK_MS = 30_000

export const emptyQueue = (): LaneQueue => ({
  waiting: {
    lock: new Map(),
    settle: new Map(),
    refund: new Map(),
    dispute: new Map(),
    register: new Map(),
  },
  again: [],
  underWay: new Set(),
  arrived: new Map(),
  done: new Map(),
  lastKind: undefined,
})

/** Takes an intent in. Repeats of one that waits or is under way change nothing. */
export function takeIntent(queue: LaneQueue, intent: LaneIntent, at: number): Answer {
  const key = keyOf(intent)
  if (queue.underWay.has(key)) return { type: 'wait' }
  const done = queue.done.get(key)
  if (done && mayTell(done, intent, at)) return { type: 'tell', outcome: done.outcome }
  const abandoned = intent.type === 'lock' && intent.abandon
  // That it waits here does not prove that no earlier owner of the lane has locked it.
  if (done || abandoned) {
    queue.done.delete(key)
    queue.waiting[intent.type].delete(intent.jobId)
    queue.underWay.add(key)
    arrive(queue, key, at)
    const notBefore = abandoned && done ? lockedIn(done, at) : undefined
    return { type: 'ask_chain', ...(notBefore === undefined ? {} : { notBefore }) }
  }
  enqueue(queue, intent, at)
  return { type: 'wait' }
}

/** Not for ever: the chain may have gone back, and be shorter since. */
const lockedIn = ({ outcome, at: doneAt }: Done, at: number): number | undefined =>
  outcome.type === 'locked' && at - doneAt <= RECHECK_MS ? outcome.block : undefined

/**
 * Whether what is remembered is still so. A refusal stands, but where the lock was lost with the chain's
 * last blocks and may come again. What has happened may have gone with them, too: a job that asks again has
 * either missed the answer, which is rare, or knows of that.
 */
function mayTell({ outcome, at: doneAt }: Done, intent: LaneIntent, at: number): boolean {
  if (outcome.type === 'settled') return at - doneAt <= RECHECK_MS
  const endsLock = intent.type === 'settle' || intent.type === 'refund'
  if (endsLock && 'reason' in outcome) return !findsNoLock(outcome.reason)
  return outcome.type.endsWith('_refused') && !(intent.type === 'lock' && intent.again)
}

/** Puts an intent into the next batch of its kind. */
export function enqueue(queue: LaneQueue, intent: LaneIntent, at: number): void {
  const { waiting, underWay } = queue
  const key = keyOf(intent)
  underWay.delete(key)
  arrive(queue, key, at)
  const { jobId } = intent
  switch (intent.type) {
    case 'lock':
      waiting.lock.set(jobId, intent)
      return
    case 'settle':
      waiting.settle.set(jobId, intent)
      return
    case 'refund':
      waiting.refund.set(jobId, intent)
      return
    case 'dispute':
      waiting.dispute.set(jobId, intent)
      return
    default:
      unreachable(intent)
  }
}

function arrive({ arrived }: LaneQueue, key: IntentKey, at: number): void {
  if (!arrived.has(key)) arrived.set(key, at)
}

/** How many wait or are under way, and since when the oldest of them. */
export function backlogOf({ arrived }: LaneQueue): { count: number; oldestAt?: number } {
  const [oldestAt] = arrived.values()
  return { count: arrived.size, ...(oldestAt === undefined ? {} : { oldestAt }) }
}

/** Remembers what became of an intent, and is done with it. */
export function finish(
  queue: LaneQueue,
  intent: Pick<LaneIntent, 'type' | 'jobId'>,
  done: Done,
): void {
  forget(queue, intent)
  keepNewest(queue.done, keyOf(intent), done, DONE_MAX)
}

/** Is done with an intent without an outcome, and with the one before: asked again, it begins anew. */
export function forget(queue: LaneQueue, intent: Pick<LaneIntent, 'type' | 'jobId'>): void {
  const key = keyOf(intent)
  queue.underWay.delete(key)
  queue.arrived.delete(key)
  queue.done.delete(key)
  queue.waiting[intent.type].delete(intent.jobId)
}

/** Is done with all that is under way: its transaction is read again from the outbox, if at all. */
export function forgetUnderWay(queue: LaneQueue): void {
  for (const key of queue.underWay) queue.arrived.delete(key)
  queue.underWay.clear()
  queue.again.length = 0
}

export const KINDS = ['lock', 'settle', 'refund', 'dispute', 'register'] as const

/**
 * The next transaction's items: one kind a transaction, the kinds in turn.
 * @param itemsMax of one kind
 */
export function nextBatch(
  queue: LaneQueue,
  itemsMax: (kind: Batch['type']) => number,
  at: number,
): Batch | undefined {
  const again = queue.again.shift()
  if (again) return again
  const after = queue.lastKind ? KINDS.indexOf(queue.lastKind) + 1 : 0
  const turn = [...KINDS.slice(after), ...KINDS.slice(0, after)]
  const kind = turn.find((each) => queue.waiting[each].size > 0)
  if (!kind) return undefined
  queue.lastKind = kind
  const batch = take(queue, kind, itemsMax(kind))
  markUnderWay(queue, batch, at)
  return batch
}

function take({ waiting }: LaneQueue, kind: Batch['type'], itemsMax: number): Batch {
  switch (kind) {
    case 'lock':
      return { type: kind, items: takeFirst(waiting.lock, itemsMax) }
    case 'settle': {
      // JobEscrow reads a worker's terms once for a row of settlements of one worker.
      const items = takeFirst(waiting.settle, itemsMax).sort((a, b) => a.workerId - b.workerId)
      return { type: kind, items }
    }
    case 'refund':
      return { type: kind, items: takeFirst(waiting.refund, itemsMax) }
    case 'dispute':
      return { type: kind, items: takeFirst(waiting.dispute, itemsMax) }
    case 'register': {
      const [item] = takeFirst(waiting.register, 1)
      return { type: kind, items: [item!] }
    }
  }
}

export const isUnderWay = (queue: LaneQueue, intent: Pick<LaneIntent, 'type' | 'jobId'>): boolean =>
  queue.underWay.has(keyOf(intent))

export function markUnderWay(queue: LaneQueue, batch: Batch, at: number): void {
  if (batch.type === 'register') return
  for (const intent of batch.items) {
    const key = keyOf(intent)
    queue.underWay.add(key)
    arrive(queue, key, at)
  }
}

function takeFirst<Key, Item>(items: Map<Key, Item>, count: number): Item[] {
  const taken: Item[] = []
  for (const [key, item] of items) {
    if (taken.length === count) break
    taken.push(item)
    items.delete(key)
  }
  return taken
}

/** The two parts of a batch that reverted as a whole, or is too large; undefined where it holds but one item. */
export function halves(batch: Batch): readonly [Batch, Batch] | undefined {
  if (batch.items.length < 2) return undefined
  const middle = batch.items.length >> 1
  const part = (from: number, to?: number): Batch => {
    switch (batch.type) {
      case 'lock':
        return { type: batch.type, items: batch.items.slice(from, to) }
      case 'settle':
        return { type: batch.type, items: batch.items.slice(from, to) }
      case 'refund':
        return { type: batch.type, items: batch.items.slice(from, to) }
      case 'dispute':
        return { type: batch.type, items: batch.items.slice(from, to) }
      case 'register':
        return batch
    }
  }
  return [part(0, middle), part(middle)]
}
