import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { ConfigError } from '../../config/read.ts'
import { toBytes } from '../../domain/bytes.ts'
import type { Address } from '../../domain/ids.ts'
import { privateKeyAddress } from '../../domain/proof.ts'
import type { Settings } from '../cli/settings.ts'
import { writeNewFile } from '../local/new-file.ts'
import { decryptKey, encryptKey } from './keystore.ts'
import { askSecret, canAsk } from './prompt.ts'

const PASSWORD_UNITS_MIN = 8

export interface WorkerKey {
  readonly address: Address
  readonly bytes: Buffer
}

/**
 * The key of this worker: WORKER_PRIVATE_KEY, else the keystore. Where there is none it is made,
 * so that a first start needs no step before it.
 * @param say tells the operator what was made
 * @throws {ConfigError}
 */
export async function openKey(settings: Settings, say: (line: string) => void): Promise<WorkerKey> {
  const { WORKER_PRIVATE_KEY, WORKER_KEYSTORE: file } = settings
  if (WORKER_PRIVATE_KEY || existsSync(file)) return existingKey(settings)
  const key = await createKey(settings, randomBytes(32))
  say(`made a key for this worker: ${key.address}, encrypted in ${file}. Keep a copy of that file`)
  return key
}

/**
 * The key of a worker that there must be already.
 * @throws {ConfigError}
 */
export async function existingKey(settings: Settings): Promise<WorkerKey> {
  const { WORKER_PRIVATE_KEY, WORKER_KEYSTORE: file } = settings
  if (WORKER_PRIVATE_KEY) return keyOf(toBytes(`0x${WORKER_PRIVATE_KEY.slice(2)}`))
  if (existsSync(file)) return unlock(file, settings)
  throw new ConfigError(noKeyIn(file))
}

const noKeyIn = (file: string): string => `there is no key in ${file} yet: svc-worker keys new`

/**
 * Writes a keystore. One that is there is never overwritten: it may hold the only copy of a key.
 * @throws {ConfigError}
 */
export async function createKey(settings: Settings, bytes: Buffer): Promise<WorkerKey> {
  const file = settings.WORKER_KEYSTORE
  if (existsSync(file))
    throw new ConfigError(`${file} holds a key already: name another --keystore`)
  const key = keyOf(bytes)
  const text = await encryptKey(bytes, await newPassword(settings))
  writeNewFile(file, text)
  return key
}

/**
 * The worker's address, for those who only ask: no password, and nothing is made.
 * @throws {ConfigError} where there is no key yet
 */
export function existingAddress({ WORKER_PRIVATE_KEY, WORKER_KEYSTORE: file }: Settings): string {
  if (WORKER_PRIVATE_KEY) return keyOf(toBytes(`0x${WORKER_PRIVATE_KEY.slice(2)}`)).address
  if (!existsSync(file)) throw new ConfigError(noKeyIn(file))
  const address = keystoreAddress(file)
  if (address) return address
  throw new ConfigError(`${file} does not tell its address: add "address" to it`)
}

/**
 * The address in a keystore, without its password; undefined where it does not say.
 * @throws {ConfigError} where it cannot be read, or is no keystore
 */
function keystoreAddress(file: string): string | undefined {
  const value = parseJson(file, readKeystore(file))
  if (typeof value !== 'object' || value === null) throw new ConfigError(noKeystore(file))
  if (!('address' in value)) return undefined
  const address = `0x${String(value.address).replace(/^0x/i, '').toLowerCase()}`
  return /^0x[0-9a-f]{40}$/.test(address) ? address : undefined
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ConfigError(noKeystore(file))
  }
}

const noKeystore = (file: string): string =>
  `${file} is damaged, or no keystore: put your copy of it back`

/** @throws {ConfigError} */
function readKeystore(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${(error as Error).message}`)
  }
}

/** Opens a keystore file with the password that the settings or the operator give. */
async function unlock(file: string, settings: Settings): Promise<WorkerKey> {
  // Before anybody is asked for a password.
  const text = readKeystore(file)
  parseJson(file, text)
  const password = (await givenPassword(settings)) ?? (await ask(`password of ${file}`))
  try {
    return keyOf(await decryptKey(text, password))
  } catch (error) {
    throw new ConfigError(`${file}: ${(error as Error).message}`)
  }
}

/** @throws {ConfigError} where the bytes are no private key */
export function keyOf(bytes: Buffer): WorkerKey {
  try {
    return { address: privateKeyAddress(bytes), bytes }
  } catch {
    throw new ConfigError('that is no private key: 0x and 64 hexadecimal digits, not all zero')
  }
}

async function newPassword(settings: Settings): Promise<string> {
  const given = await givenPassword(settings)
  const password = given ?? (await ask('choose a password for the key of this worker'))
  if (password.length < PASSWORD_UNITS_MIN) {
    throw new ConfigError(`the password must have at least ${PASSWORD_UNITS_MIN} characters`)
  }
  if (given === undefined && (await ask('the same once more')) !== password) {
    throw new ConfigError('the two passwords differ: nothing was written')
  }
  return password
}

/** What the settings say, without asking anybody. @throws {ConfigError} */
export async function givenPassword(settings: Settings): Promise<string | undefined> {
  const { WORKER_PASSWORD, WORKER_PASSWORD_FILE: file } = settings
  if (WORKER_PASSWORD) return WORKER_PASSWORD
  if (!file) return undefined
  try {
    // Editors end a file with a newline that is no part of the password.
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new ConfigError(`--password-file ${file} cannot be read: ${(error as Error).message}`)
  }
}

function ask(question: string): Promise<string> {
  if (canAsk()) return askSecret(question)
  throw new ConfigError(
    `there is no terminal to ask on (${question}): give --password-file or WORKER_PASSWORD`,
  )
}
