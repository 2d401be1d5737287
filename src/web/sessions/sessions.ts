import { createHash } from 'node:crypto'
import { type Address, toAddress } from '../../domain/ids.ts'
import { addMs, type DurationMs, toUnixMs, type UnixMs } from '../../domain/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Registry } from '../../ports/registry.ts'

export interface Session {
  readonly wallet: Address
  readonly expiresAt: UnixMs
}

/** Who is signed in. What a browser holds is kept as a hash only: who reads it here cannot use it. */
export interface Sessions {
  begin(wallet: Address): Promise<{ readonly token: string; readonly session: Session }>
  /** Undefined: it has ended, or never was. */
  read(token: string): Promise<Session | undefined>
  /** At once, everywhere. Repeated: nothing. */
  end(token: string): Promise<void>
}

interface Options {
  /** Bucket SESSIONS. */
  readonly registry: Registry
  readonly lifeMs: DurationMs
  readonly clock: Clock
}

const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/

export function makeSessions({ registry, lifeMs, clock }: Options): Sessions {
  return {
    begin: async (wallet) => {
      const token = Buffer.from(clock.randomBytes(TOKEN_BYTES)).toString('base64url')
      const session: Session = { wallet, expiresAt: addMs(clock.now(), lifeMs) }
      await registry.set(hashOf(token), session)
      return { token, session }
    },
    read: async (token) => {
      if (!TOKEN.test(token)) return undefined
      const entry = await registry.get(hashOf(token))
      const session = entry && parse(entry.value)
      return session && session.expiresAt > clock.now() ? session : undefined
    },
    end: async (token) => {
      if (TOKEN.test(token)) await registry.delete(hashOf(token))
    },
  }
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** @throws where the record is none: somebody else wrote into the bucket */
function parse(value: unknown): Session {
  const { wallet, expiresAt } = (value ?? {}) as Record<string, unknown>
  return { wallet: toAddress(String(wallet)), expiresAt: toUnixMs(Number(expiresAt)) }
}
