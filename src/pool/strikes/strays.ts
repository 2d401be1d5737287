import type {
  Chunk,
  Completion as CompletionMessage,
} from '../../../proto/gen/svc/worker/v1/worker.ts'
import { type JobId, parseJobId } from '../../domain/ids.ts'
import { type Flaw, type SignedCompletion, saysTheSame } from '../../messages/strikes.ts'
import { flaw } from '../proof/flaw.ts'
import { readClaim, signedBy } from '../proof/signed-claim.ts'
import type { Session } from '../session/session.ts'
import type { Claim } from './contradictions.ts'

/** Text of a job that is not under way at this worker; undefined: an honest worker may send it. */
export function strayText(session: Session, { jobId, seq }: Chunk): Flaw | undefined {
  const end = session.ended.get(jobId)
  if (!end) return flaw('foreign_job', 'it sent text of a job that it was not offered')
  // After a broken stream it may not know how far it had come.
  if (session.mayRepeat(jobId) && seq < end.chunks) return undefined
  // One that was told to stop may have had more on the way.
  return end.by === 'worker' ? flaw('text_after_end', 'it sent text after its end') : undefined
}

export interface StrayCompletion {
  readonly flaw: Flaw
  /** Both completions, where they prove that it signed two different ones. */
  readonly proof?: { readonly jobId: JobId; readonly both: [SignedCompletion, SignedCompletion] }
  /** It has signed this of a job that this session knows nothing of. */
  readonly foreign?: Claim
}

/** A completion of a job that is not under way at this worker. */
export function strayCompletion(
  session: Session,
  claim: CompletionMessage,
  separator: Uint8Array,
): StrayCompletion | undefined {
  const end = session.ended.get(claim.jobId)
  const jobId = parseJobId(claim.jobId)
  const read = readClaim(claim)
  if (!end) {
    const foreign = flaw('foreign_job', 'it completed a job that it was not offered')
    const signed = jobId.ok ? signedBy(session.address, jobId.value, read, separator) : undefined
    return jobId.ok && signed
      ? { flaw: foreign, foreign: { jobId: jobId.value, ...signed } }
      : { flaw: foreign }
  }
  if (!end.claim) return undefined
  const both = [end.claim, read].map((each) =>
    jobId.ok ? signedBy(session.address, jobId.value, each, separator) : undefined,
  )
  const [first, second] = both
  const isRepeat = first && second && saysTheSame(first, second)
  if (isRepeat && session.mayRepeat(claim.jobId)) return undefined
  if (!jobId.ok || !first || !second || isRepeat) {
    return { flaw: flaw('second_completion', 'it completed a job twice') }
  }
  const proof = {
    jobId: jobId.value,
    both: [first, second] as [SignedCompletion, SignedCompletion],
  }
  return { flaw: flaw('equivocation', 'it signed two different completions of a job'), proof }
}
