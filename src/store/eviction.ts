import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { OperatorError } from '../domain/operator-error.ts'
import { readInfo } from './info.ts'
import { refusalOf } from './refusal.ts'

const KEEPS_ALL = 'noeviction'
const AGAIN_MS = 500

/**
 * What Redis forgets altogether is read anew from chain and journal. One that is full and evicts keys forgets a part,
 * as what jobs have reserved of a balance that it keeps, and nobody notices. One that is away is waited for.
 * @throws {OperatorError} where this one would, or its user may not ask
 */
export async function refuseEviction(redis: Redis): Promise<void> {
  for (;;) {
    const told = await readInfo(redis, 'memory').catch((error: Error) => {
      const refusal = refusalOf(error)
      if (refusal) throw refusal
      return undefined
    })
    if (!told) {
      await sleep(AGAIN_MS)
      continue
    }
    const policy = told('maxmemory_policy') ?? KEEPS_ALL
    if (policy === KEEPS_ALL || Number(told('maxmemory') ?? 0) === 0) return
    throw new OperatorError(
      `Redis would evict keys of the service once it is full: its maxmemory-policy is ${policy}. ` +
        `Set it to ${KEEPS_ALL}: CONFIG SET maxmemory-policy ${KEEPS_ALL}, and the same in its configuration`,
    )
  }
}
