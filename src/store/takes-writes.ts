import { type Redis, ReplyError } from 'ioredis'

/** Full; its disk takes nothing; too few of its replicas are there; or it is one itself. */
const REFUSES_WRITES = /^(?:OOM|MISCONF|NOREPLICAS|READONLY)\b/

/**
 * Whether Redis takes writes, by one that changes nothing: it asks for the new rank of a member that is not there.
 * Redis looks at its memory, its disk and its replicas before it looks for the member. For the user `actors`.
 * @throws where Redis does not answer, or not to this
 */
export async function takesWrites(redis: Redis): Promise<boolean> {
  try {
    await redis.zadd('reads', 'XX', 0, 'nobody')
    return true
  } catch (error) {
    if (error instanceof ReplyError && REFUSES_WRITES.test((error as Error).message)) return false
    throw error
  }
}
