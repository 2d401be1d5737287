import * as assert from 'uvu/assert'
import { decide } from '../../../actors/job/decide.ts'
import { due } from '../../../actors/job/due.ts'
import type { JobEvent } from '../../../actors/job/events.ts'
import { evolve, type Job } from '../../../actors/job/state.ts'
import type { JobTerms } from '../../../actors/job/terms.ts'
import { viewOf } from '../../../actors/job/view.ts'
import type { World } from '../../../actors/job/world.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { makeJobId, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { addMs, toUnixMs } from '../../../src/domain/time.ts'
import type { FailWorker, JobCommand } from '../../../src/messages/job.ts'
import type { JobView } from '../../../src/messages/job-view.ts'

export const at = toUnixMs(1_800_000_000_000)
export const later = (ms: number) => addMs(at, ms)
export const jobId = makeJobId(at, new Uint8Array(16))
export const wallet = toAddress(`0x${'1'.repeat(40)}`)
export const worker = toAddress(`0x${'2'.repeat(40)}`)
export const tx = toHex32(`0x${'a'.repeat(64)}`)
export const otherTx = toHex32(`0x${'b'.repeat(64)}`)
export const hash = toHex32(`0x${'c'.repeat(64)}`)

export const terms: JobTerms = {
  id: jobId,
  wallet,
  model: 'Qwen/Qwen3-8B',
  tier: 'standard',
  lock: toCredits(12),
  outputTokensMax: 1_500,
  stream: true,
  replyTo: 'edge.e1',
  createdAt: at,
  deadlineAt: later(120_000),
}

export const disputeWindowMs = 60_000
export const onePool: World = {
  choosePool: (_model, exclude) => (exclude.includes('pool-1') ? undefined : 'pool-1'),
  disputeWindowMs,
}
export const noPool: World = { ...onePool, choosePool: () => undefined }

/** What is due of a job, by key. */
export const keys = (job: Job | undefined): readonly string[] => due(job!).map(({ key }) => key)

/** given(past).when(command, world).then(events): the job's past decides what a command brings. */
export function given(...past: JobEvent[]) {
  const job = past.reduce<Job | undefined>(evolve, undefined)
  return {
    job,
    when(command: JobCommand, world: World = onePool) {
      const decision = decide(job, command, world)
      const events = decision.type === 'accept' ? decision.events : []
      return {
        decision,
        job: events.reduce<Job | undefined>(evolve, job),
        // biome-ignore lint/suspicious/noThenProperty: given, when, then is how these tests read
        then(...types: JobEvent['type'][]) {
          assert.equal(
            events.map((event) => event.type),
            types,
          )
          return this
        },
        thenNothing() {
          assert.is(decision.type, 'nothing')
        },
        /** Perhaps after a look into the journal, which knows no more. */
        thenRefused(reason?: string) {
          const told = decision.type === 'behind' ? decision.otherwise : decision
          assert.is(told?.type, 'refuse')
          if (reason !== undefined) assert.equal(told, { type: 'refuse', reason })
        },
      }
    },
  }
}

export const started: JobEvent = { type: 'JobStarted', terms }
export const locked: JobEvent = { type: 'LockConfirmed', tx, block: 7 }
export const offered: JobEvent = { type: 'OfferMade', poolId: 'pool-1' }
export const assigned: JobEvent = { type: 'WorkerAssigned', worker, workerId: 3 }
export const completed: JobEvent = {
  type: 'JobCompleted',
  worker,
  workerId: 3,
  usage: { promptTokens: 10, completionTokens: 600 },
  finishReason: 'stop',
  outputHash: hash,
  chunks: 9,
  signedAt: 1_800_000_001,
  signature: { r: tx, vs: otherTx },
  at: later(1_000),
}
export const settled: JobEvent = {
  type: 'SettlementConfirmed',
  tx: otherTx,
  block: 9,
  charged: toCredits(9),
}
export const expired: JobEvent = {
  type: 'JobExpired',
  refusal: { code: 'job_timeout', message: 'late', details: { job_id: jobId } },
  at: later(120_000),
}
export const failed: JobEvent = {
  type: 'JobFailed',
  refusal: { code: 'internal_error', message: 'broken' },
  at: later(10),
}
export const refundSent: JobEvent = { type: 'RefundConfirmed', tx: otherTx, block: null }
export const refunded: JobEvent = { type: 'RefundConfirmed', tx: otherTx, block: 11 }

export const confirmLock: JobCommand = { type: 'ConfirmLock', jobId, tx, block: 7, at }
export const expire: JobCommand = { type: 'ExpireJob', jobId, at: later(120_000) }
export const complete: JobCommand = {
  type: 'CompleteJob',
  jobId,
  attempt: 1,
  worker,
  workerId: 3,
  outputHash: hash,
  usage: { promptTokens: 10, completionTokens: 600 },
  finishReason: 'stop',
  chunks: 9,
  completedAt: 1_800_000_001,
  signature: { r: tx, vs: otherTx },
  at: later(1_000),
}
export const start: JobCommand = {
  type: 'StartJob',
  jobId,
  wallet,
  key: { hash: 'hash', proof: 'proof' },
  model: terms.model,
  tier: terms.tier,
  lock: terms.lock,
  outputTokensMax: terms.outputTokensMax,
  stream: true,
  replyTo: terms.replyTo,
  at,
  deadlineAt: terms.deadlineAt,
}
export const failure = (reason: FailWorker['reason'], textSent = false): FailWorker => ({
  type: 'FailWorker',
  jobId,
  attempt: 1,
  reason,
  textSent,
  at: later(10),
})

/** The past of a job that has its answer, and of one that is paid as well. */
export const answered: readonly JobEvent[] = [started, locked, offered, assigned, completed]
export const paid: readonly JobEvent[] = [...answered, settled]

export const otherHash = toHex32(`0x${'d'.repeat(64)}`)
export const disputeTx = toHex32(`0x${'e'.repeat(64)}`)
export const verdictTx = toHex32(`0x${'f'.repeat(64)}`)
/** The worker signed `hash`, and the caller says that it received something else. */
export const disputed: JobEvent = {
  type: 'JobDisputed',
  requestId: 'request-1',
  claimedHash: otherHash,
}
export const sentDispute: JobEvent = {
  type: 'DisputeConfirmed',
  tx: disputeTx,
  block: null,
  claimedHash: otherHash,
}
export const openDispute: JobEvent = { ...sentDispute, block: 12 }
export const refusedDispute: JobEvent = { type: 'DisputeRefused', reason: 'DisputeWindowOver' }
export const upheld: JobEvent = { type: 'DisputeResolved', upheld: true, tx: verdictTx, block: 20 }
export const rejected: JobEvent = { ...upheld, upheld: false }

export const dispute = {
  type: 'DisputeJob',
  jobId,
  wallet,
  requestId: 'request-1',
  receivedHash: otherHash,
  at: later(2_000),
} as const satisfies JobCommand
export const confirmDispute = {
  type: 'ConfirmDispute',
  jobId,
  tx: disputeTx,
  block: 12,
  claimedHash: otherHash,
  at: later(3_000),
} as const satisfies JobCommand
export const refuseDispute = {
  type: 'RefuseDispute',
  jobId,
  reason: 'DisputeWindowOver',
  at: later(3_000),
} as const satisfies JobCommand
export const uphold = {
  type: 'ResolveDispute',
  jobId,
  upheld: true,
  tx: verdictTx,
  block: 20,
  at: later(9_000),
} as const satisfies JobCommand
export const confirmSettlement = {
  type: 'ConfirmSettlement',
  jobId,
  tx: otherTx,
  block: 9,
  charged: toCredits(9),
  at: later(2_000),
} as const satisfies JobCommand

/** The job as others see it. */
export function shown(job: Job | undefined): JobView {
  assert.ok(job && job.status !== 'abandoned')
  return viewOf(job)
}
