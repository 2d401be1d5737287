import type { JobId } from '../../../src/domain/ids.ts'
import type { JobCommand, StartJob } from '../../../src/messages/job.ts'
import type { EdgeEnding, JobReply, JoinHolder } from '../../../src/messages/job-reply.ts'
import { SOON_MS, until } from '../../until.ts'
import {
  accept,
  call,
  chat,
  chunksOf,
  completed,
  ESCROW_TX,
  SETTLEMENT_TX,
  type Stage,
  settlementSent,
  viewOf,
  WORKER,
} from './stage.ts'

/** The play of a request and the ones that repeat it. */

export const TEXTS = ['Hel', 'lo', ' you']
export const TEXT = TEXTS.join('')

/** The two ways to say that a request is one of before. */
export const named = (key = 'order-7') => ({ 'idempotency-key': key })
export const counted = (count: number) => ({ 'x-stainless-retry-count': String(count) })

export const ask = (stage: Stage, headers: object, body = chat(), signal?: AbortSignal) =>
  call(stage, '/v1/chat/completions', { body, headers, ...(signal ? { signal } : {}) })

export const said = <Type extends JobCommand['type']>({ commands }: Stage, type: Type) =>
  commands.filter((command): command is Extract<JobCommand, { type: Type }> => {
    return command.type === type
  })
export const started = (stage: Stage): readonly StartJob[] => said(stage, 'StartJob')
export const beginning = (stage: Stage, count = 1) =>
  until(`${count} jobs were started`, () => started(stage).length >= count, SOON_MS)

/** All that a job says when everything goes well. */
export function wholeAnswer(stage: Stage, jobId: JobId): void {
  stage.outputs.answers.set(jobId, TEXT)
  stage.say(...chunksOf(jobId, TEXTS), completed(jobId, TEXTS), settlementSent(jobId))
}

/** Jobs answer as `reply` says when they are joined, and accept everything else. */
export function whenJoined(stage: Stage, reply: (jobId: JobId) => JobReply | undefined): void {
  stage.actor = (command) => (command.type === 'JoinJob' ? reply(command.jobId) : accept(command))
}

/** Hosts remember which job has a caller's own key, whatever Redis forgets. */
export function whenClaimed(stage: Stage, joined: (jobId: JobId) => JobReply): void {
  const holders = new Map<string, JoinHolder>()
  stage.actor = (command) => {
    if (command.type === 'JoinJob') return joined(command.jobId)
    const claim = command.type === 'StartJob' ? command.key.join : undefined
    if (!claim) return accept(command)
    const holder = holders.get(claim.key)
    if (holder && holder.jobId !== claim.replaces) {
      return { type: 'refused', reason: 'key_taken', holder }
    }
    holders.set(claim.key, { jobId: command.jobId, bodyDigest: claim.bodyDigest })
    return accept(command)
  }
}

export const hasAnswered = (id: JobId): JobReply => ({
  type: 'accepted',
  view: viewOf(id, {
    status: 'settled',
    worker: WORKER,
    escrowTx: ESCROW_TX,
    settlementTx: SETTLEMENT_TX,
  }),
  ending: completed(id, TEXTS),
})

export const failure = (jobId: JobId): EdgeEnding => ({
  type: 'failed',
  jobId,
  refusal: { code: 'internal_error', message: 'The worker was lost.' },
  escrowTx: null,
})

export const hasFailed = (id: JobId, more: Parameters<typeof viewOf>[1] = {}): JobReply => ({
  type: 'accepted',
  view: viewOf(id, { status: 'failed', ...more }),
  ending: failure(id),
})
