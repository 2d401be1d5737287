import { refuse } from '../../api/http/errors.ts'
import { type Credits, NO_CREDITS } from '../../domain/credits.ts'
import type { JobId } from '../../domain/ids.ts'
import type { JoinClaim } from '../../messages/job.ts'
import type { JoinHolder } from '../../messages/job-reply.ts'
import type { Caller } from '../callers/auth.ts'
import type { Seat } from '../waiting/shared-job.ts'
import type { WaitedJob } from '../waiting/waited-job.ts'
import type { Admission, AdmittedJob } from './admission.ts'
import type { ChatOrder } from './chat-request.ts'
import type { JoinKey } from './join-key.ts'
import type { Joining } from './joining.ts'

/** What a request waits for: a job of its own, or the one of the request that it repeats. */
export type TakenOn =
  | {
      readonly type: 'admitted'
      readonly job: AdmittedJob
      readonly key: JoinKey | undefined
      /** Of a key that the caller gave itself; equal requests without one are told apart by Redis alone. */
      readonly claim?: JoinClaim | undefined
    }
  | { readonly type: 'joined'; readonly job: WaitedJob; readonly seat: Seat; readonly key: JoinKey }

/** Two requests of one key may find the same failed job; then one of them joins the other. */
export const TRIES = 4

/**
 * @param holder the job that has the key, where a host has told so and Redis has forgotten
 * @throws {RefusalError} before or instead of moving a credit
 */
export async function takeOn(
  { admission, joining }: { admission: Admission; joining: Joining },
  caller: Caller,
  order: ChatOrder,
  key: JoinKey | undefined,
  holder?: JoinHolder,
): Promise<TakenOn> {
  let known = holder
  for (let tried = 0; tried < TRIES; tried++) {
    let replaces: JobId | 'any' | undefined = 'any'
    let returning: Credits = NO_CREDITS
    if (key?.joins) {
      const earlier = await joining.join(caller, order, key, known)
      known = undefined
      if (earlier.type === 'joined') return { ...earlier, key }
      replaces = undefined
      if (earlier.type === 'failed') ({ jobId: replaces, returning } = earlier)
    }
    const join = key && { key: key.key, bodyDigest: key.bodyDigest, replaces }
    const job = await admission.admit(caller, order, { join, returning })
    if (job !== 'taken') return { type: 'admitted', job, key, claim: claimOf(key, replaces) }
  }
  throw keepFailing()
}

export const keepFailing = () =>
  refuse(
    'service_unavailable',
    'Other requests with the same key keep failing beside this one; try again shortly.',
  )

function claimOf(key: JoinKey | undefined, replaces: JobId | 'any' | undefined) {
  if (key?.param === undefined) return undefined
  const claim = { key: key.key, bodyDigest: key.bodyDigest }
  return replaces === undefined || replaces === 'any' ? claim : { ...claim, replaces }
}
