import { err, ok, type Result } from './result.ts'
import type { UnixMs } from './time.ts'

declare const brand: unique symbol
type Brand<Base, Name> = Base & { readonly [brand]: Name }

/** `job_` and 26 letters and digits; sorts by time of creation; fits a bytes32 as ASCII. */
export type JobId = Brand<string, 'JobId'>
/** A wallet, worker or contract address: 0x and 40 hex digits, lower case inside the house. */
export type Address = Brand<`0x${string}`, 'Address'>
/** A 32-byte hash: 0x and 64 lower-case hex digits. */
export type Hex32 = Brand<`0x${string}`, 'Hex32'>
export type TxHash = Hex32

const JOB_ID = /^job_[0-9a-z]{26}$/
const ADDRESS = /^0x[0-9a-f]{40}$/
const HEX32 = /^0x[0-9a-f]{64}$/
// Crockford's base 32: no i, l, o, u, so that an id survives being read aloud.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** @param random at least 16 random bytes */
export function makeJobId(at: UnixMs, random: Uint8Array): JobId {
  let time = ''
  for (let rest: number = at, i = 0; i < 10; i++) {
    time = ALPHABET[rest % 32] + time
    rest = Math.floor(rest / 32)
  }
  let tail = ''
  for (let i = 0; i < 16; i++) tail += ALPHABET[random[i]! & 31]
  return `job_${time}${tail}` as JobId
}

const UNPAID = 'job_unpaid'

/**
 * The id of a job that nobody pays for and that is never on chain: with letters that `makeJobId` has
 * not, it can be no other job's.
 * @param random at least 20 random bytes
 */
export function makeUnpaidJobId(random: Uint8Array): JobId {
  let tail = ''
  for (let i = 0; i < 20; i++) tail += ALPHABET[random[i]! & 31]
  return `${UNPAID}${tail}` as JobId
}

export function parseJobId(text: string): Result<JobId, string> {
  return JOB_ID.test(text) ? ok(text as JobId) : err('a job id is job_ and 26 letters and digits')
}

export function parseAddress(text: string): Result<Address, string> {
  const lower = text.toLowerCase()
  return ADDRESS.test(lower)
    ? ok(lower as Address)
    : err('an address is 0x and 40 hexadecimal digits')
}

/** For values that a trusted source (chain, journal) has already checked; throws otherwise. */
export function toAddress(text: string): Address {
  const parsed = parseAddress(text)
  if (!parsed.ok) throw new Error(`${parsed.error}, not ${text}`)
  return parsed.value
}

export function toJobId(text: string): JobId {
  const parsed = parseJobId(text)
  if (!parsed.ok) throw new Error(`${parsed.error}, not ${text}`)
  return parsed.value
}

export function toHex32(text: string): Hex32 {
  const lower = text.toLowerCase()
  if (!HEX32.test(lower)) throw new Error(`a 32-byte hash is 0x and 64 hex digits, not ${text}`)
  return lower as Hex32
}

/** The id of the chat completion that a job answered with. */
export const completionId = (jobId: JobId): string => `chatcmpl-${jobId}`

/** A job id on chain: its ASCII, padded with zeros on the right, so an explorer can show it. */
export function jobIdToBytes32(jobId: JobId): Hex32 {
  return `0x${Buffer.from(jobId, 'ascii').toString('hex').padEnd(64, '0')}` as Hex32
}

export function jobIdFromBytes32(hex: string): Result<JobId, string> {
  // Not as ASCII, which drops the top bit of each byte: other bytes would read as a job's id.
  return parseJobId(Buffer.from(hex.slice(2), 'hex').toString('latin1').replace(/\0+$/, ''))
}
