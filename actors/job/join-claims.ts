import type { Address } from '../../src/domain/ids.ts'
import { addMs, type UnixMs } from '../../src/domain/time.ts'
import { JOIN_MARGIN_MS, type JoinClaim, type StartJob } from '../../src/messages/job.ts'
import type { JoinHolder } from '../../src/messages/job-reply.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Registry } from '../../src/ports/registry.ts'

interface Options {
  /** Bucket JOINS. */
  readonly joins: Registry
  readonly clock: Clock
}

interface Claimed extends JoinHolder {
  /** When the key is free again. */
  readonly until: UnixMs
}

const TRIES = 5
const FORM = /^[\w:-]{1,64}$/

/**
 * One job a key: two requests with one `Idempotency-Key` must not both be paid for. Edges look in Redis
 * for the job of a key, and Redis may have forgotten it; what is claimed here is not forgotten.
 */
export class JoinClaims {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /**
   * Repeated: the same.
   * @returns the job that has the key; undefined: this one has it now
   * @throws where nobody can tell
   */
  async claim(
    { jobId, wallet, at, deadlineAt }: Pick<StartJob, 'jobId' | 'wallet' | 'at' | 'deadlineAt'>,
    { key, bodyDigest, replaces }: JoinClaim,
  ): Promise<JoinHolder | undefined> {
    const { joins, clock } = this.#options
    const place = placeOf(wallet, key)
    // By a clock of hosts: that of the edge may be wrong, and a claim that is over at its beginning is none.
    const until = addMs(clock.now(), deadlineAt - at + JOIN_MARGIN_MS)
    const claim: Claimed = { jobId, bodyDigest, until }
    let revision = 0
    for (let tried = 0; tried < TRIES; tried++) {
      if ((await joins.put(place, claim, revision)) !== 'conflict') return undefined
      const found = await joins.get(place)
      const holder = found?.value as Claimed | undefined
      if (holder?.jobId === jobId) return undefined
      if (holder && holder.jobId !== replaces && holder.until > clock.now()) return shown(holder)
      revision = found?.revision ?? 0
    }
    throw new Error('other requests with the same key keep coming beside this one')
  }
}

const shown = ({ jobId, bodyDigest }: Claimed): JoinHolder => ({ jobId, bodyDigest })

/** It comes from outside: whoever speaks for an edge may say anything. */
function placeOf(wallet: Address, key: string): string {
  if (!FORM.test(key)) throw new Error('a join key of another form')
  return `${wallet}.${key.replace(':', '=')}`
}
