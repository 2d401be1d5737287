import { RefusalError, refuse } from '../../api/http/errors.ts'
import { apiKeyHash, keyProof } from '../../domain/hash.ts'
import type { Address } from '../../domain/ids.ts'
import type { ServiceNames } from '../../domain/service-names.ts'
import type { UnixMs } from '../../domain/time.ts'
import type { ShownKey } from '../../messages/job.ts'
import type { KeyRecord } from '../../messages/key-record.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Clock } from '../../ports/clock.ts'
import type { KeyUses } from '../../ports/key-uses.ts'
import type { Registry } from '../../ports/registry.ts'
import type { Log } from '../../telemetry/log.ts'
import { Seldom } from '../../telemetry/seldom.ts'
import { KeyCache } from './key-cache.ts'
import { makeNoteUse } from './note-use.ts'

/** Whose key a request carries. */
export interface Caller {
  readonly wallet: Address
  readonly keyCreatedAt: UnixMs
  /** For the job actor, which believes no edge that a wallet's key was there. */
  readonly key: ShownKey
}

/** Whose it is is known, so the answer tells the balance. */
export class SuspendedKey extends RefusalError {
  constructor(readonly caller: Caller) {
    super({ code: 'key_suspended', message: 'This API key is suspended. Contact support.' })
  }
}

export interface Auth {
  /** @throws {RefusalError} with the authentication error of the specification */
  authenticate(authorization: string | undefined): Promise<Caller>
  stop(): void
}

interface Options {
  readonly keys: Registry
  readonly keyUses: KeyUses
  readonly bus: Bus
  readonly names: ServiceNames
  readonly clock: Clock
  readonly log: Log
}

export function makeAuth({ keys, keyUses, bus, names, clock, log }: Options): Auth {
  const noteUse = makeNoteUse({ keyUses, clock, log })
  const cache = new KeyCache({ keys, bus, clock, log })
  const seldom = new Seldom(clock, log)
  return {
    authenticate: async (authorization) => {
      const key = apiKeyOf(authorization, names)
      const hash = apiKeyHash(key)
      const stored = await read(hash)
      if (stored === undefined) throw unknownKey(names)
      const shown = { hash, proof: keyProof(key) }
      const caller = { wallet: stored.wallet, keyCreatedAt: stored.createdAt, key: shown }
      if (stored.status === 'suspended') throw new SuspendedKey(caller)
      noteUse(hash)
      return caller
    },
    stop: () => cache.stop(),
  }

  async function read(hash: string): Promise<KeyRecord | undefined> {
    try {
      return await cache.read(hash)
    } catch (error) {
      seldom.warn({ err: error }, 'keys: cannot be read')
      throw refuse('service_unavailable', 'API keys cannot be checked at the moment; try again.')
    }
  }
}

/** Names that callers may try for it; its own is not settled yet. */
const WALLET_SCHEMES: ReadonlySet<string> = new Set(['siwe', 'eip4361', 'eip-4361', 'wallet'])

function apiKeyOf(authorization: string | undefined, names: ServiceNames): string {
  if (!authorization) {
    throw refuse(
      'missing_api_key',
      `No API key was sent. Send it as \`Authorization: Bearer ${names.keyStart}…\`.`,
    )
  }
  const [scheme = '', key = '', ...rest] = authorization.trim().split(/ +/)
  if (WALLET_SCHEMES.has(scheme.toLowerCase())) {
    throw refuse(
      'invalid_api_key',
      `Wallet-native authentication is planned for Phase 2. Send an API key as \`Authorization: Bearer ${names.keyStart}…\`.`,
    )
  }
  const isBearer = scheme.toLowerCase() === 'bearer' && rest.length === 0
  if (isBearer && key === '') {
    throw refuse(
      'invalid_api_key',
      'The header `Authorization` has `Bearer` and no key behind it: what it is read from, mostly a ' +
        `variable, is empty. Send \`Authorization: Bearer ${names.keyStart}…\`.`,
    )
  }
  if (!isBearer || !names.keyPattern.test(key)) throw unknownKey(names)
  return key
}

const unknownKey = ({ keyStart }: ServiceNames) =>
  refuse(
    'invalid_api_key',
    `The API key is not known: it never existed or was revoked. Keys are \`${keyStart}\` and 32 ` +
      'letters and digits, sent as `Authorization: Bearer <key>`; make one in the web app.',
  )
