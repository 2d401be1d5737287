import { keyProofHash } from '../../src/domain/hash.ts'
import type { Address } from '../../src/domain/ids.ts'
import { keepNewest } from '../../src/domain/newest.ts'
import type { ShownKey, StartJob } from '../../src/messages/job.ts'
import { parseKeyRecord } from '../../src/messages/key-record.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Registry } from '../../src/ports/registry.ts'
import type { Log } from '../../src/telemetry/log.ts'

interface Options {
  /** Bucket KEYS. */
  readonly keys: Registry
  readonly clock: Clock
  readonly log: Log
}

interface Known {
  readonly wallet: Address
  readonly proofHash: string | undefined
  /** By `clock.monotonic()`. */
  readonly readAt: number
}

const KNOWN_MAX = 20_000
/** Edges turn a revoked key away at once; this is for who has stolen the right to speak like one. */
const KNOWN_MS = 60_000
const HASH = /^[0-9a-f]{64}$/

/**
 * Whether a job is begun with a key of the wallet that is to pay for it. An edge has looked already, but
 * whoever has its password could say so of any wallet.
 */
export class KeyProofs {
  readonly #options: Options
  /** By the key's hash; the longest unused first. */
  readonly #known = new Map<string, Known>()

  constructor(options: Options) {
    this.#options = options
  }

  /** At once for a key that was seen lately. @throws where the keys cannot be read */
  holds({ wallet, key, jobId }: StartJob): boolean | Promise<boolean> {
    if (!isShown(key)) return this.#refused(jobId, wallet)
    const known = this.#known.get(key.hash)
    if (known && this.#options.clock.monotonic() - known.readAt < KNOWN_MS) {
      this.#keep(key.hash, known)
      return fits(known, wallet, key) || this.#refused(jobId, wallet)
    }
    return this.#read(key.hash).then(
      (read) => (read && fits(read, wallet, key)) || this.#refused(jobId, wallet),
    )
  }

  async #read(hash: string): Promise<Known | undefined> {
    const readAt = this.#options.clock.monotonic()
    const entry = await this.#options.keys.get(hash)
    const record = entry && parseKeyRecord(entry.value)
    if (record?.status !== 'active') return undefined
    const known = { wallet: record.wallet, proofHash: record.proofHash, readAt }
    this.#keep(hash, known)
    return known
  }

  #keep(hash: string, known: Known): void {
    keepNewest(this.#known, hash, known, KNOWN_MAX)
  }

  #refused(jobId: string, wallet: string): false {
    this.#options.log.error({ jobId, wallet }, 'job refused: no key of its wallet was shown')
    return false
  }
}

/** It comes from outside: whoever speaks for an edge may say anything. */
const isShown = (key: ShownKey | undefined): key is ShownKey =>
  typeof key?.hash === 'string' && HASH.test(key.hash) && typeof key.proof === 'string'

const fits = ({ wallet, proofHash }: Known, payer: Address, { proof }: ShownKey): boolean =>
  wallet === payer && (proofHash === undefined || keyProofHash(proof) === proofHash)
