import type { Balances } from '../../api/balances.ts'
import { completionId } from '../../domain/ids.ts'
import type { ServiceNames } from '../../domain/service-names.ts'
import { unixSeconds } from '../../domain/time.ts'
import { publicUsage } from '../../messages/public-job.ts'
import { jobHeaders } from '../http/service-headers.ts'
import type { FollowedJob } from '../waiting/follow-job.ts'
import type { Follower } from '../waiting/follower.ts'
import type { Completed } from '../waiting/outcome.ts'
import type { WaitedJob } from '../waiting/waited-job.ts'

/** Nothing leaves before the end, so another attempt can always begin anew. */
export const silentFollower: Follower = { committed: false, onText: () => {}, onTick: () => {} }

export interface PlainAnswer {
  readonly headers: Record<string, string>
  readonly body: string
}

/** The whole answer in one JSON body, with the settlement's hash if it comes in time. */
export async function answerPlain(
  job: WaitedJob,
  { ending, text }: { ending: Completed; text: string },
  followed: FollowedJob,
  { balances, names: { headers } }: { balances: Balances; names: ServiceNames },
): Promise<PlainAnswer> {
  const [settlementTx, remaining] = await Promise.all([
    followed.settlementTx(),
    balances.glanceAfter(job.caller.wallet, job.jobId, ending.charged),
  ])
  return {
    headers: {
      ...jobHeaders(headers, { settlementTx, ...ending }),
      ...(remaining === undefined ? {} : { [headers.creditsRemaining]: String(remaining) }),
    },
    body: JSON.stringify({
      id: completionId(job.jobId),
      object: 'chat.completion',
      created: unixSeconds(job.at),
      model: job.model,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: text },
          finish_reason: ending.finishReason,
        },
      ],
      usage: publicUsage(ending.usage),
    }),
  }
}
