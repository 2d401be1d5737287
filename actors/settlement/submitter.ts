import type { LaneIntent } from '../../src/messages/lane.ts'
import type { Lane } from '../../src/messages/subjects.ts'
import type { Clock } from '../../src/ports/clock.ts'
import {
  type Batch,
  type EscrowReader,
  type EscrowWriter,
  NonceGap,
  type Receipt,
} from '../../src/ports/escrow.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { LocksBack } from './locks-back.ts'
import type { Outbox, Sent } from './outbox.ts'
import {
  type JobBatch,
  type Outcome,
  readHistory,
  readReceipt,
  refusal,
  type Skipped,
  wasLocked,
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
import type { Teller } from './tell.ts'
import { Stopped, type UntilChain } from './until-chain.ts'

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
  readonly clock: Clock
  readonly log: Log
  readonly itemsMax: number
  readonly confirmLockAt: 'included' | 'broadcast'
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
  /** @throws {NonceGap} the chain has gone back behind `place` */
  check(place: Place): Promise<void>
  /** Answers an intent from the job's history on chain. @returns whether it is now to be sent */
  askChain(intent: LaneIntent): Promise<boolean>
}

/** One signing key's way to the chain: one transaction at a time, each stored before it is sent. */
export function makeSubmitter(options: SubmitterOptions): Submitter {
  const { lane, queue, outbox, writer, untilChain } = options
  return {
    recover: () => recover(options),
    submit: async (batch, { nonce, sequence }) => {
      const transaction = await untilChain(() => writer.sign(lane, nonce, batch))
      await outbox.write({ transaction, batch }, sequence)
      await carryOut(options, { transaction, batch })
      return { nonce: nonce + 1, sequence: 0 }
    },
    next: () => nextBatch(queue, options.itemsMax),
    check: async (place) => {
      const nonce = await untilChain(() => writer.nonce(lane))
      if (nonce >= place.nonce) return
      throw new NonceGap(`the chain stands at nonce ${nonce}, the next one here is ${place.nonce}`)
    },
    askChain: (intent) => askChain(options, intent),
  }
}

async function recover(options: SubmitterOptions): Promise<Place> {
  const { lane, queue, outbox, writer, log, untilChain } = options
  let nonce = await untilChain(() => writer.nonce(lane))
  for (;;) {
    const { sent, sequence } = await outbox.read(nonce)
    if (sent) {
      log.info({ lane, nonce, hash: sent.transaction.hash }, 'lane: sending a stored transaction')
      markUnderWay(queue, sent.batch)
      await options.locksBack.wait(sent.batch)
      await carryOut(options, sent)
      nonce++
      continue
    }
    const fence = await outbox.fence(nonce, sequence)
    // A conflict is a record written since: it is read, and sent, like the others.
    if (fence !== 'conflict') return { nonce, sequence: fence }
  }
}

/** Broadcasts a stored transaction, waits for its receipt, and tells everyone what came of it. */
async function carryOut(options: SubmitterOptions, { transaction, batch }: Sent): Promise<void> {
  const { lane, writer, teller, untilChain, clock, log } = options
  const { hash, nonce } = transaction
  const sentAt = clock.monotonic()
  let told = false
  const broadcast = () => {
    if (!told) teller.broadcast(batch, hash)
    told = true
  }
  const receipt = await untilChain(() => writer.send(lane, transaction, broadcast))
  const tookMs = Math.round(clock.monotonic() - sentAt)
  const { block, succeeded } = receipt
  const about = { lane, kind: batch.type, items: batch.items.length, nonce, hash, block, tookMs }
  if (succeeded) log.debug(about, 'lane: included')
  else log.error(about, 'lane: the whole transaction reverted')

  if (batch.type === 'register') await options.registrations.answer(batch.items[0], receipt)
  else if (succeeded) readItems(options, batch, receipt)
  else splitUp(options, batch)
}

function readItems(options: SubmitterOptions, batch: JobBatch, receipt: Receipt): void {
  for (const read of readReceipt(batch, receipt)) {
    if (read.type === 'skipped') void explain(options, read).catch(report(options))
    else conclude(options, read, { type: batch.type, jobId: read.jobId })
  }
}

/** One bad item fails them all: the parts are tried again, down to the bad one. */
function splitUp(options: SubmitterOptions, batch: JobBatch): void {
  const parts = halves(batch)
  if (parts) {
    options.queue.again.push(...parts)
    return
  }
  const [intent] = batch.items
  if (!intent) return
  // A refund has nobody to refuse it to: the job asks again, and the lock expires on chain.
  if (intent.type === 'refund') forget(options.queue, intent)
  else conclude(options, refusal(intent, 'reverted'), intent)
}

/** Reasons that the job's past may explain; the others are found only in a job as it should be. */
const OF_THE_PAST: ReadonlySet<string> = new Set(['JobIdUsed', 'NotLocked', 'no_event'])

/** Finds out why an item was passed over: most often because it had happened already. */
async function explain(options: SubmitterOptions, { intent, reason }: Skipped): Promise<void> {
  const { queue, reader, untilChain, log, lane } = options
  const { jobId, type: kind } = intent
  const past = OF_THE_PAST.has(reason)
  const lockMayCome = past && kind !== 'lock' && (await lockOnItsWay(options, intent))
  const history = past ? await untilChain(() => reader.jobFacts(jobId)) : []
  const outcome = readHistory(intent, history)
  log.info({ lane, jobId, kind, reason, outcome: outcome?.type }, 'lane: the chain skipped an item')
  if (outcome) conclude(options, outcome, intent)
  // Its lock is under way, or lost with the chain's last blocks and about to be sent again: the job
  // asks again until then.
  else if (lockMayCome || (kind === 'refund' && wasLocked(history))) forget(queue, intent)
  else conclude(options, refusal(intent, reason), intent)
}

/** To be asked before the history is read: a lock that comes in between is found there. */
const lockOnItsWay = async (
  { confirmLockAt, locksBack }: SubmitterOptions,
  { type }: LaneIntent,
): Promise<boolean> =>
  (type === 'refund' && confirmLockAt === 'broadcast') || (await locksBack.anyOnTheWay())

async function askChain(options: SubmitterOptions, intent: LaneIntent): Promise<boolean> {
  const { queue, reader, untilChain } = options
  const history = await untilChain(() => reader.jobFacts(intent.jobId))
  const outcome = readHistory(intent, history)
  if (outcome) conclude(options, outcome, intent)
  else if (intent.type === 'lock' && intent.abandon) {
    conclude(options, refusal(intent, 'abandoned'), intent)
  } else {
    enqueue(queue, intent)
    return true
  }
  return false
}

function conclude(
  { queue, teller, clock }: SubmitterOptions,
  outcome: Outcome,
  intent: Pick<LaneIntent, 'type' | 'jobId'>,
): void {
  finish(queue, intent, { outcome, at: clock.now() })
  teller.outcome(outcome, intent.type)
}

const report =
  ({ lane, log }: SubmitterOptions) =>
  (error: unknown): void => {
    if (!(error instanceof Stopped)) log.error({ err: error, lane }, 'lane: history not read')
  }
