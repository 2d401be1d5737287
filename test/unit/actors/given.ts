import * as assert from 'uvu/assert'
import { decide, type World } from '../../../actors/job/decide.ts'
import { evolve, type Job, type JobEvent, type JobTerms } from '../../../actors/job/state.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { makeJobId, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { addMs, toUnixMs } from '../../../src/domain/time.ts'
import type { JobCommand } from '../../../src/messages/job.ts'

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

export const onePool: World = {
  choosePool: (_model, exclude) => (exclude.includes('pool-1') ? undefined : 'pool-1'),
}
export const noPool: World = { choosePool: () => undefined }

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
        thenRefused() {
          assert.is(decision.type, 'refuse')
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
