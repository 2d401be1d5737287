import type { LaneIntent } from '../../src/messages/lane.ts'
import type { Lane } from '../../src/messages/subjects.ts'
import type { Clock } from '../../src/ports/clock.ts'
import {
  type Batch,
  BatchTooLarge,
  type EscrowReader,
  type EscrowWriter,
  NonceGap,
  type Receipt,
} from '../../src/ports/escrow.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { Traces } from '../../src/telemetry/traces.ts'
import { type Inclusion, makeInclusion } from './inclusion.ts'
import type { LaneMetrics } from './lane-metrics.ts'
import { traceTransaction } from './lane-traces.ts'
import type { LocksBack } from './locks-back.ts'
import { makeLookBehind } from './look-behind.ts'
import { makeNewest, type Newest } from './newest.ts'
import type { Outbox, Sent } from './outbox.ts'
import {
  type JobBatch,
  type Outcome,
  readHistory,
  readReceipt,
  refusal,
  type Skipped,
} from './outcome.ts'
import {
  enqueue,
  finish,
  forget,
  halves,
  type LaneQueue,
  markUnderWay,
  nextBatch,
} from './queue.ts'
import type { Registrations } from './registrations.ts'
import { type AfterRevert, makeAfterRevert } from './reverted.ts'
import { type Explain, makeExplain } from './skipped.ts'
import type { Teller } from './tell.ts'
import type { Troubles } from './troubles.ts'
import { type UntilChain, unlessStopped } from './until-chain.ts'

export interface SubmitterOptions {
  readonly lane: Lane
  readonly queue: LaneQueue
  readonly outbox: Outbox
  readonly writer: EscrowWriter
  readonly reader: EscrowReader
  readonly registrations: Registrations
  readonly teller: Teller
  readonly locksBack: LocksBack
  readonly untilChain: UntilChain
  readonly troubles: Troubles
  readonly clock: Clock
  readonly log: Log
  readonly metrics: LaneMetrics
  readonly traces?: Traces | undefined
  readonly itemsMax: number
}

/** The nonce that this writer holds, and the outbox sequence to write over. */
export interface Place {
  readonly nonce: number
  readonly sequence: number
}

export interface Submitter {
  /** Sends again what the outbox holds and the chain does not, then takes the next nonce. */
  recover(): Promise<Place>
  /** Signs, stores, sends one batch and sees it through. @returns the place of the next one */
  submit(batch: Batch, place: Place): Promise<Place>
  next(): Batch | undefined
  /** How many of a kind go into one transaction at most. */
  itemsMax(kind: Batch['type']): number
  /** @throws {NonceGap} the chain has gone back behind `place`, or behind what was included last */
  check(place: Place): Promise<void>
  /** After `recover`, beside all else. @returns whether something is now to be sent */
  lookBehind(place: Place): Promise<boolean>
  /**
   * Answers an intent from the job's history on chain.
   * @param notBefore a block that the node must have for its answer to count
   * @returns whether it is now to be sent
   */
  askChain(intent: LaneIntent, notBefore?: number): Promise<boolean>
}

/** One signing key's way to the chain: one transaction at a time, each stored before it is sent. */
export function makeSubmitter(options: SubmitterOptions): Submitter {
  const { lane, queue, outbox, writer, clock, untilChain } = options
  const explain = beside(
    options,
    makeExplain({ ...options, conclude: (...told) => conclude(options, ...told) }),
  )
  const parts: Parts = {
    inclusion: makeInclusion({ ...options, again: queue.again }),
    explain,
    afterRevert: makeAfterRevert({ ...options, explain }),
    newest: makeNewest(options),
  }
  const ask = (intent: LaneIntent, notBefore?: number) =>
    orForget(queue, intent, askChain(options, intent, notBefore))
  const lookBehind = makeLookBehind({ ...options, askChain: (intent) => ask(intent) })
  const itemsMax = (kind: Batch['type']) => Math.min(options.itemsMax, writer.itemsMax(kind))
  return {
    recover: () => recover(options, parts),
    submit: async (batch, place) => {
      const { nonce } = place
      const transaction = await untilChain(() => signed(options, nonce, batch))
      if (transaction === 'too_large') return place
      const sent = { transaction, earlier: [], batch }
      await carryOut(options, parts, sent, await outbox.write(sent, place.sequence))
      return { nonce: nonce + 1, sequence: 0 }
    },
    next: () => nextBatch(queue, itemsMax, clock.monotonic()),
    itemsMax,
    check: async (place) => {
      const nonce = await untilChain(() => writer.nonce(lane))
      if (nonce < place.nonce)
        throw new NonceGap(
          `the chain stands at nonce ${nonce}, the next one here is ${place.nonce}`,
        )
      await parts.newest.check()
    },
    lookBehind: ({ nonce }) => lookBehind(nonce),
    askChain: ask,
  }
}

interface Parts {
  readonly inclusion: Inclusion
  readonly explain: (skipped: Skipped) => void
  readonly afterRevert: AfterRevert
  readonly newest: Newest
}

/** Blocks may have become smaller since the batch was put together: then it goes in parts. */
async function signed({ lane, writer, queue }: SubmitterOptions, nonce: number, batch: Batch) {
  try {
    return await writer.sign(lane, nonce, batch)
  } catch (error) {
    const parts = error instanceof BatchTooLarge ? halves(batch) : undefined
    if (!parts) throw error
    queue.again.unshift(...parts)
    return 'too_large'
  }
}

async function recover(options: SubmitterOptions, parts: Parts): Promise<Place> {
  const { lane, queue, outbox, writer, clock, log, untilChain } = options
  let nonce = await untilChain(() => writer.nonce(lane))
  for (;;) {
    const { sent, sequence } = await outbox.read(nonce)
    if (sent) {
      log.info({ lane, nonce, hash: sent.transaction.hash }, 'lane: sending a stored transaction')
      markUnderWay(queue, sent.batch, clock.monotonic())
      await options.locksBack.wait(sent.batch)
      await carryOut(options, parts, sent, sequence)
      nonce++
      continue
    }
    const fence = await outbox.fence(nonce, sequence)
    // A conflict is a record written since: it is read, and sent, like the others.
    if (fence !== 'conflict') return { nonce, sequence: fence }
  }
}

/** Broadcasts what is stored, waits for its receipt, and tells everyone what came of it. */
async function carryOut(
  options: SubmitterOptions,
  { inclusion, explain, afterRevert, newest }: Parts,
  stored: Sent,
  sequence: number,
): Promise<void> {
  const { lane, teller, clock, log } = options
  const sentAt = clock.monotonic()
  let told = false
  const broadcast = ({ batch, transaction }: Sent) => {
    if (!told) teller.broadcast(batch, transaction.hash)
    told = true
  }
  const endTrace = traceTransaction(options.traces, lane, stored.batch)
  const included = await inclusion.include(stored, sequence, broadcast).catch((error: unknown) => {
    endTrace?.(undefined)
    throw error
  })
  endTrace?.(included)
  const { batch, receipt } = included
  const tookMs = Math.round(clock.monotonic() - sentAt)
  const { block, hash, succeeded } = receipt
  const { nonce } = stored.transaction
  const about = { lane, kind: batch.type, items: batch.items.length, nonce, hash, block, tookMs }
  options.metrics.included(lane, batch, receipt, tookMs)
  newest.is(receipt)
  if (succeeded) log.debug(about, 'lane: included')
  else log.error(about, 'lane: the whole transaction reverted')

  if (batch.type === 'register') await options.registrations.answer(batch.items[0], receipt)
  else if (succeeded) readItems(options, explain, batch, receipt)
  else await afterRevert(batch, block)
}

function readItems(
  options: SubmitterOptions,
  explain: Parts['explain'],
  batch: JobBatch,
  receipt: Receipt,
): void {
  for (const read of readReceipt(batch, receipt)) {
    if (read.type === 'skipped') explain(read)
    else conclude(options, read, { type: batch.type, jobId: read.jobId })
  }
}

/** Nobody waits for it. */
const beside =
  ({ queue, log, lane }: SubmitterOptions, explain: Explain) =>
  (skipped: Skipped): void => {
    void orForget(queue, skipped.intent, explain(skipped)).catch(
      unlessStopped(log, lane, 'history not read'),
    )
  }

async function askChain(
  options: SubmitterOptions,
  intent: LaneIntent,
  notBefore?: number,
): Promise<boolean> {
  const { queue, reader, clock, untilChain } = options
  const { jobId } = intent
  const history = await untilChain(() =>
    notBefore === undefined ? reader.jobFacts(jobId) : reader.jobFactsAt(notBefore, jobId),
  )
  const outcome = history && readHistory(intent, history)
  // The job asks again.
  if (!history) forget(queue, intent)
  else if (outcome) conclude(options, outcome, intent)
  else if (intent.type === 'lock' && intent.abandon) {
    conclude(options, refusal(intent, 'abandoned'), intent)
  } else {
    enqueue(queue, intent, clock.monotonic())
    return true
  }
  return false
}

/** A fault of one question must not leave its intent under way for ever: the job asks again. */
async function orForget<T>(
  queue: LaneQueue,
  intent: Pick<LaneIntent, 'type' | 'jobId'>,
  work: Promise<T>,
): Promise<T> {
  try {
    return await work
  } catch (error) {
    forget(queue, intent)
    throw error
  }
}

function conclude(
  { queue, teller, clock }: SubmitterOptions,
  outcome: Outcome,
  intent: Pick<LaneIntent, 'type' | 'jobId'>,
): void {
  finish(queue, intent, { outcome, at: clock.monotonic() })
  teller.outcome(outcome, intent.type)
}
