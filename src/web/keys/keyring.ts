import { newApiKey } from '../../domain/api-key.ts'
import { apiKeyHash } from '../../domain/hash.ts'
import type { Address } from '../../domain/ids.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import type { ServiceNames } from '../../domain/service-names.ts'
import type { UnixMs } from '../../domain/time.ts'
import { type KeyRecord, keyRecord, parseKeyRecord } from '../../messages/key-record.ts'
import { type KeyringRecord, keyHint, parseKeyring } from '../../messages/keyring.ts'
import type { Clock } from '../../ports/clock.ts'
import type { KeyUses } from '../../ports/key-uses.ts'
import type { Registry } from '../../ports/registry.ts'
import type { Log } from '../../telemetry/log.ts'

/**
 * The one API key that a wallet may have. A key counts from the moment the wallet's keyring names it,
 * and is gone from the moment it is not in the bucket KEYS, which is what edges read. So it is written
 * there first and deleted there first: a crash in between leaves a key that nobody ever saw, or a
 * keyring that names a key which is gone, and that is the same as none.
 */
export interface Keyring {
  /** Null: the wallet has none. */
  active(wallet: Address): Promise<ActiveKey | null>
  /** The only time that the key itself is told. */
  create(wallet: Address): Promise<Result<ActiveKey & { readonly key: string }, 'key_exists'>>
  /**
   * At once. Repeated, or without a key: nothing. A key that was suspended stays: so no new one.
   * @param hint of the key that is meant: another one stays. Undefined: whichever there is
   */
  revoke(wallet: Address, hint?: string): Promise<Result<null, 'key_suspended' | 'key_changed'>>
}

export interface ActiveKey {
  readonly hint: string
  readonly createdAt: UnixMs
  readonly lastUsedAt: UnixMs | null
  readonly status: KeyRecord['status']
}

interface Options {
  /** Bucket KEYS. */
  readonly keys: Registry
  /** Bucket KEYRINGS. */
  readonly keyrings: Registry
  readonly uses: KeyUses
  readonly names: ServiceNames
  readonly clock: Clock
  readonly log: Log
}

interface Found {
  readonly ring: KeyringRecord | undefined
  readonly revision: number
  readonly key: KeyRecord | undefined
  readonly keyRevision: number
}

export function makeKeyring({ keys, keyrings, uses, names, clock, log }: Options): Keyring {
  const find = async (wallet: Address): Promise<Found> => {
    const entry = await keyrings.get(wallet)
    const ring = entry && parseKeyring(entry.value)
    const stored = ring?.hash ? await keys.get(ring.hash) : undefined
    const key = stored && parseKeyRecord(stored.value)
    return { ring, revision: entry?.revision ?? 0, key, keyRevision: stored?.revision ?? 0 }
  }
  const lastUse = async (hash: string): Promise<UnixMs | null> => {
    try {
      return await uses.lastUse(hash)
    } catch (error) {
      log.warn({ err: error }, 'keys: the last use cannot be read')
      return null // it is told for orientation, and must not hide the key
    }
  }
  const revoke: Keyring['revoke'] = async (wallet, hint) => {
    const { ring, revision, key, keyRevision } = await find(wallet)
    if (!ring?.hash || !key) return ok(null)
    if (hint !== undefined && hint !== ring.hint) return err('key_changed')
    if (key.status === 'suspended') return err('key_suspended')
    // Before it is gone: by this line it is revoked again after a restore (docs/operating/backup.md).
    log.info({ wallet, hash: ring.hash }, 'keys: revoked by its wallet')
    // A conflict: somebody has suspended it meanwhile, or deleted it.
    if ((await keys.delete(ring.hash, keyRevision)) === 'conflict') return revoke(wallet, hint)
    // A conflict: somebody has made the next key meanwhile.
    await keyrings.put(wallet, { hash: null, hint: '' } satisfies KeyringRecord, revision)
    return ok(null)
  }

  return {
    active: async (wallet) => {
      const { ring, key } = await find(wallet)
      if (!ring?.hash || !key) return null
      const { createdAt, status } = key
      const lastUsedAt = await lastUse(ring.hash)
      return { hint: ring.hint, createdAt, lastUsedAt, status }
    },

    create: async (wallet) => {
      const found = await find(wallet)
      if (found.key) return err('key_exists')
      const key = newApiKey(names, clock)
      const [hash, hint, createdAt] = [apiKeyHash(key), keyHint(key), clock.now()]
      await keys.set(hash, keyRecord(key, { wallet, createdAt }))
      const ring: KeyringRecord = { hash, hint }
      if ((await keyrings.put(wallet, ring, found.revision)) === 'conflict') {
        await keys.delete(hash)
        return err('key_exists')
      }
      return ok({ key, hint, createdAt, lastUsedAt: null, status: 'active' })
    },

    revoke,
  }
}
