import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decide } from '../../../actors/job/decide.ts'
import { due, rests } from '../../../actors/job/due.ts'
import type { JobEvent } from '../../../actors/job/events.ts'
import { evolve, isPaid, type Job } from '../../../actors/job/state.ts'
import { endingOf } from '../../../actors/job/view.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import type { JobStatus } from '../../../src/messages/job-view.ts'
import {
  answered,
  assigned,
  at,
  complete,
  confirmDispute,
  confirmSettlement,
  dispute,
  disputed,
  expire,
  failure,
  hash,
  jobId,
  later,
  locked,
  noPool,
  offered,
  onePool,
  openDispute,
  otherTx,
  paid,
  refuseDispute,
  shown,
  started,
  tx,
  uphold,
  wallet,
  worker,
} from './given.ts'

/** Whatever is said to a job in whatever order, it only ever moves as the specification has it. */
const test = suite('job: any walk')

const MOVES: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  pending: ['processing', 'settling', 'failed', 'refunded'],
  processing: ['settling', 'failed', 'refunded'],
  settling: ['settled', 'failed', 'disputed'],
  // Failed: the settlement was in a block that is gone, and its lock was taken back since.
  settled: ['disputed', 'failed'],
  // Failed: the settlement it was waiting for was refused.
  disputed: ['settled', 'refunded', 'failed'],
  // Settled after all: what had ended it was in a block that is gone.
  failed: ['settled', 'disputed'],
  refunded: [],
}

/** All that may be said, where the chain gives one verdict and may tell each fact from two blocks. */
function commands(upheld: boolean): fc.Arbitrary<JobCommand> {
  const block = fc.constantFrom(12, 13)
  const attempt = fc.constantFrom(1, 2)
  const fixed: JobCommand[] = [
    { type: 'GetJob', jobId },
    { type: 'AbandonJob', jobId, wallet, at },
    { type: 'RefuseLock', jobId, reason: 'InsufficientCredits', at },
    { type: 'RefuseSettlement', jobId, reason: 'BadSignature', at },
    { type: 'CancelJob', jobId, at },
    { type: 'CancelJob', jobId, replyTo: 'edge.e2', at },
    { type: 'JoinJob', jobId, wallet, replyTo: 'edge.e2', at },
    { type: 'ConfirmRefund', jobId, tx: otherTx, block: null, at },
    expire,
    dispute,
    { ...dispute, requestId: 'request-2' },
    { ...dispute, receivedHash: hash },
    { ...dispute, at: later(99_000) },
    { ...confirmDispute, block: null },
    refuseDispute,
  ]
  return fc.oneof(
    fc.constantFrom(...fixed),
    fc.constantFrom(...fixed),
    block.map((block): JobCommand => ({ type: 'ConfirmLock', jobId, tx, block, at })),
    fc.constant<JobCommand>({ type: 'ConfirmLock', jobId, tx, block: 0, at }),
    attempt.map((attempt): JobCommand => ({ ...failure('worker_lost'), attempt })),
    attempt.map(
      (attempt): JobCommand => ({ type: 'AssignWorker', jobId, attempt, worker, workerId: 3, at }),
    ),
    attempt.map(
      (attempt): JobCommand => ({ type: 'RefuseOffer', jobId, attempt, reason: 'no_worker', at }),
    ),
    attempt.map((attempt): JobCommand => ({ ...complete, attempt }) as JobCommand),
    block.map((block): JobCommand => ({ ...confirmSettlement, block })),
    block.map((block): JobCommand => ({ ...confirmSettlement, block, final: true })),
    block.map((block): JobCommand => ({ ...confirmSettlement, block, final: true, anew: true })),
    block.map((block): JobCommand => ({ type: 'ConfirmRefund', jobId, tx: otherTx, block, at })),
    block.map(
      (block): JobCommand => ({
        ...{ type: 'ConfirmRefund', jobId, tx: otherTx, block, at, final: true },
      }),
    ),
    block.map((block): JobCommand => ({ ...confirmDispute, block })),
    block.map((block): JobCommand => ({ ...uphold, upheld, block })),
  )
}

const PASTS: readonly (readonly JobEvent[])[] = [
  [started],
  [started, locked, offered, assigned],
  answered,
  paid,
  [...paid, disputed, openDispute],
]
const walks = fc
  .boolean()
  .chain((upheld) =>
    fc.tuple(
      fc.constantFrom(...PASTS),
      fc.array(fc.tuple(commands(upheld), fc.boolean()), { maxLength: 30, size: 'max' }),
    ),
  )

test('moves as it may, is paid once, and a command said twice counts once', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(walks, ([past, said]) => {
      let job = past.reduce<Job | undefined>(evolve, undefined)
      for (const [command, served] of said) {
        const world = served ? onePool : noPool
        const before = job
        job = take(job, command, world)
        check(before, job)
        seen.add(`${shown(before).status} ${shown(job).status}`)
        assert.equal(take(job, command, world), job, `${command.type} twice`)
      }
    }),
    { numRuns: 3_000 },
  )
  for (const [from, tos] of Object.entries(MOVES)) {
    for (const to of tos) assert.ok(seen.has(`${from} ${to}`), `never went ${from} → ${to}`)
  }
})

function take(job: Job | undefined, command: JobCommand, world: typeof onePool): Job | undefined {
  const decision = decide(job, command, world)
  const events = decision.type === 'accept' ? decision.events : []
  return events.reduce<Job | undefined>(evolve, job)
}

function check(before: Job | undefined, job: Job | undefined): void {
  const [was, is] = [shown(before), shown(job)]
  assert.ok(
    was.status === is.status || MOVES[was.status].includes(is.status),
    `${was.status} → ${is.status}`,
  )
  if (isPaid(before!) && is.status !== 'failed') assert.ok(isPaid(job!), 'it stays settled')
  if (isPaid(job!))
    assert.not.ok(due(job!).some(({ type }) => type === 'refund' || type === 'settle'))
  assert.is(is.charged > 0n, isPaid(job!) && is.status !== 'refunded')
  if (rests(job!)) assert.not.ok(due(job!).some(({ everyMs }) => everyMs !== undefined))
  else
    assert.ok(
      due(job!).some(({ everyMs, notBefore }) => everyMs ?? notBefore),
      'what is awake acts',
    )
  // Known once, known for ever.
  if (was.completedAt !== null && is.status !== 'failed') assert.is(is.completedAt, was.completedAt)
  if (endingOf(before!)?.type === 'completed' && is.status !== 'failed') {
    assert.equal(endingOf(job!), endingOf(before!))
  }
}

test.run()
