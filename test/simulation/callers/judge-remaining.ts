import type { Address, JobId } from '../../../src/domain/ids.ts'
import type { JobView } from '../../../src/messages/job-view.ts'
import type { ToldChat } from './witness.ts'

interface Balances {
  /** The job in the end; undefined: there is none. */
  view(jobId: JobId): JobView | undefined
  /** All that the wallet ever paid in; undefined: what it was told it has may not have been so. */
  depositedBy?(wallet: Address): bigint | undefined
}

/**
 * Whoever is told what it has left has paid for this answer, and for each one that it had before it asked: be they
 * settled by then or not.
 */
export function judgeRemaining(
  { name, wallet, jobId, askedAt, status, headers, answer }: ToldChat,
  chats: readonly ToldChat[],
  { view, depositedBy }: Balances,
): readonly string[] {
  const deposited = depositedBy?.(wallet)
  if (deposited === undefined || status !== 200 || !answer.isComplete) return []
  const before = chats.filter(
    (other) =>
      other.wallet === wallet &&
      other.status === 200 &&
      other.answer.isComplete &&
      other.at <= askedAt,
  )
  const paid = new Set([jobId, ...before.map((other) => other.jobId)])
  let most = deposited
  for (const id of paid) most -= (id && view(id)?.charged) ?? 0n
  const told = [headers['x-svc-credits-remaining'], answer.receipt?.credits_remaining]
  return told.flatMap((remaining) => {
    if (remaining === undefined || remaining === null) return []
    const credits = Number(remaining)
    const isPossible = Number.isSafeInteger(credits) && credits >= 0 && credits <= Number(most)
    return isPossible ? [] : [`${name}: told that ${remaining} credits are left, of ${most}`]
  })
}
