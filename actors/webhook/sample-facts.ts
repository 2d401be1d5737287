import { toCredits } from '../../src/domain/credits.ts'
import { type Address, makeJobId, toAddress, toHex32 } from '../../src/domain/ids.ts'
import { unreachable } from '../../src/domain/result.ts'
import { sampleEventId } from '../../src/domain/sample-event.ts'
import { addMs, type UnixMs } from '../../src/domain/time.ts'
import { balanceData, type Fact } from '../../src/messages/fact.ts'
import { type JobHappening, jobFact } from '../../src/messages/job-fact.ts'
import type { JobView } from '../../src/messages/job-view.ts'
import type { EventType } from '../../src/messages/webhook.ts'

/** A made-up event that a receiver can be tried with: every value has the form of a real one. */
interface Sample {
  readonly wallet: Address
  readonly at: UnixMs
  /** 16 bytes at least: two samples have two ids. */
  readonly random: Uint8Array
}

/** What it tells has not happened. */
export function sampleFact(type: EventType, { wallet, at, random }: Sample): Fact {
  const id = sampleEventId(random)
  switch (type) {
    case 'job.submitted':
    case 'job.processing':
    case 'job.completed':
    case 'job.timeout':
    case 'job.disputed':
      return { ...jobSample({ type }, { wallet, at, random }), id }
    case 'job.failed':
      return { ...jobSample({ type, reason: 'worker_lost' }, { wallet, at, random }), id }
    case 'credit.low':
      return { id, type, wallet, at, data: { ...balanceData(toCredits(92)), threshold: 100 } }
    case 'credit.topup': {
      const balance = balanceData(toCredits(1_250))
      const data = { credits_added: 1_000, ...balance, tx: hash('7'), block_number: BLOCK }
      return { id, type, wallet, at, data }
    }
    case 'worker.registered': {
      const data = { worker_address: WORKER, models: [MODEL], region: 'eu-west' }
      return { id, type, worker: WORKER, at, data }
    }
    case 'worker.slashed': {
      const data = {
        worker_address: WORKER,
        slash_amount_rcompute: 100,
        slash_tx: hash('8'),
        reason: 'fraudulent_proof',
        related_job_id: makeJobId(at, random),
      }
      return { id, type, worker: WORKER, at, data }
    }
    default:
      return unreachable(type)
  }
}

const MODEL = 'Qwen/Qwen3-8B'
const WORKER = toAddress(`0x${'70'.repeat(20)}`)
const ESCROW = toAddress(`0x${'e5'.repeat(20)}`)
const BLOCK = 1_234_567
const hash = (digit: string) => toHex32(`0x${digit.repeat(64)}`)

function jobSample(happening: JobHappening, { wallet, at, random }: Sample): Fact {
  const view = jobAt(happening.type, { wallet, at, random })
  return jobFact({ happening, view, escrowAddress: ESCROW, at, remaining: toCredits(242) })
}

/** A job in the state in which such an event is told of it. */
function jobAt(type: JobHappening['type'], { wallet, at, random }: Sample): JobView {
  const submitted: JobView = {
    id: makeJobId(at, random),
    wallet,
    status: 'pending',
    model: MODEL,
    tier: 'standard',
    lock: toCredits(8),
    charged: toCredits(0),
    worker: null,
    createdAt: addMs(at, -2_000),
    completedAt: null,
    escrowTx: hash('1'),
    settlementTx: null,
    refundTx: null,
    disputeTx: null,
    disputedHash: null,
    block: null,
    proofHash: null,
    usage: null,
  }
  const processing: JobView = { ...submitted, status: 'processing', worker: WORKER }
  const settled: JobView = {
    ...processing,
    status: 'settled',
    charged: toCredits(8),
    completedAt: addMs(at, -500),
    settlementTx: hash('2'),
    block: BLOCK,
    proofHash: hash('3'),
    usage: { promptTokens: 21, completionTokens: 137 },
  }
  const refund = { refundTx: hash('4'), block: BLOCK }
  switch (type) {
    case 'job.submitted':
      return submitted
    case 'job.processing':
      return processing
    case 'job.completed':
      return settled
    case 'job.failed':
      return { ...processing, status: 'failed', ...refund }
    case 'job.timeout':
      return { ...processing, status: 'refunded', ...refund }
    case 'job.disputed':
      return { ...settled, status: 'disputed', disputeTx: hash('5'), disputedHash: hash('6') }
    default:
      return unreachable(type)
  }
}
