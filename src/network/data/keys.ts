import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { privateKey } from '../../config/read.ts'
import { newApiKey } from '../../domain/api-key.ts'
import type { Address } from '../../domain/ids.ts'
import { privateKeyAddress } from '../../domain/proof.ts'
import type { ServiceNames } from '../../domain/service-names.ts'
import { isMissing, writeWhole } from './whole-file.ts'

const keysSchema = z.object({
  deployer: privateKey(),
  locker: privateKey(),
  settler: privateKey(),
  arbiter: privateKey(),
  withdrawal_signer: privateKey(),
  pauser: privateKey(),
  keeper: privateKey(),
  /** Pays the gas of what wallets only sign in the web app. */
  relayer: privateKey(),
  /** Seals the secrets of webhooks: 32 bytes in hex. */
  webhook_secrets: z.string(),
  /** The passwords of the users of NATS and Redis are made from it: 32 bytes in hex. */
  server_passwords: z.string(),
  treasury: privateKey(),
  wallet: privateKey(),
  workers: z.array(privateKey()),
  api_key: z.string(),
  /** Unix milliseconds. */
  api_key_created_at: z.number(),
})
/** The secrets of one development network, made at random on its first start. */
export type Keys = z.infer<typeof keysSchema>

export interface KeyTerms {
  readonly workers: number
  readonly names: ServiceNames
  /** Unix milliseconds. */
  readonly now: number
}

/** Reads the keys, making those that are missing; a second start finds the same. */
export function openKeys(file: string, { workers, names, now }: KeyTerms): Keys {
  const found = readKeys(file)
  const keys: Keys = {
    ...(found ?? newKeys()),
    ...keyFor(found, names, now),
    // Versions that knew no disputes, no withdrawals, no keeper, no web app, no webhooks, or no users of
    // its servers, made none.
    arbiter: found?.arbiter ?? newPrivateKey(),
    withdrawal_signer: found?.withdrawal_signer ?? newPrivateKey(),
    pauser: found?.pauser ?? newPrivateKey(),
    keeper: found?.keeper ?? newPrivateKey(),
    relayer: found?.relayer ?? newPrivateKey(),
    webhook_secrets: found?.webhook_secrets ?? randomBytes(32).toString('hex'),
    server_passwords: found?.server_passwords ?? randomBytes(32).toString('hex'),
    workers: Array.from({ length: Math.max(workers, found?.workers.length ?? 0) }, (_, i) => {
      return found?.workers[i] ?? newPrivateKey()
    }),
  }
  writeWhole(file, `${JSON.stringify(keys, null, 2)}\n`, 0o600)
  return keys
}

// Edges take no key of another prefix than theirs.
const keyFor = (found: FoundKeys | undefined, names: ServiceNames, now: number) =>
  found && names.keyPattern.test(found.api_key)
    ? { api_key: found.api_key, api_key_created_at: found.api_key_created_at }
    : { api_key: newApiKey(names, { randomBytes }), api_key_created_at: now }

export const addressOf = (key: string): Address =>
  privateKeyAddress(Buffer.from(key.slice(2), 'hex'))

const foundSchema = keysSchema.partial({
  arbiter: true,
  withdrawal_signer: true,
  pauser: true,
  keeper: true,
  relayer: true,
  webhook_secrets: true,
  server_passwords: true,
})

type FoundKeys = z.infer<typeof foundSchema>

function readKeys(file: string): FoundKeys | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
  chmodSync(file, 0o600)
  try {
    return foundSchema.parse(JSON.parse(text))
  } catch (cause) {
    throw new Error(`${file} does not hold a network's keys; restore it or start with --fresh`, {
      cause,
    })
  }
}

type LaterKeys =
  | 'arbiter'
  | 'withdrawal_signer'
  | 'pauser'
  | 'keeper'
  | 'relayer'
  | 'webhook_secrets'
  | 'server_passwords'
  | 'workers'
  | 'api_key'
  | 'api_key_created_at'
const newKeys = (): Omit<Keys, LaterKeys> => ({
  deployer: newPrivateKey(),
  locker: newPrivateKey(),
  settler: newPrivateKey(),
  treasury: newPrivateKey(),
  wallet: newPrivateKey(),
})

// 32 random bytes are a valid key but for one chance in 2^127.
const newPrivateKey = (): string => `0x${randomBytes(32).toString('hex')}`
