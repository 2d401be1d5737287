import { isIP } from 'node:net'
import { z } from 'zod'
import { addressFault } from '../domain/address-fault.ts'
import { OperatorError } from '../domain/operator-error.ts'

export class ConfigError extends OperatorError {}

/** Of a role's settings, whichever they are. */
export type AnySchema = z.ZodObject<Readonly<Record<string, z.ZodType>>>

type Env = Readonly<Record<string, string | undefined>>

/**
 * What a variable says; undefined: nothing. An empty one, and one of blanks, means "not set": that is how
 * shells and compose files leave one out. Blanks around a value come from how a file was written, with the
 * line ends of another system for one; only of a password they may be a part.
 */
export function givenValue(env: Env, name: string): string | undefined {
  const value = env[name]
  const trimmed = value?.trim()
  return (name.endsWith('_PASSWORD') ? value : trimmed) || undefined
}

/**
 * Reads a role's configuration from the environment, once, at start.
 * @throws {ConfigError} naming each variable that is wrong and what it should hold
 */
export function readConfig<Schema extends z.ZodObject>(
  schema: Schema,
  env: Env,
): Readonly<z.infer<Schema>> {
  const given = Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => {
      const value = givenValue(env, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
  const parsed = schema.safeParse(given)
  if (parsed.success) return Object.freeze(parsed.data)
  const lines = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0])
    const about = schema.shape[name]?.description
    return `  ${name}: ${issue.message}${about ? ` (${about})` : ''}`
  })
  throw new ConfigError(`configuration is not usable:\n${lines.join('\n')}`)
}

/** What the keys of secp256k1 are counted by. */
const KEYS = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const isKey = (number: bigint): boolean => number > 0n && number < KEYS

/** `true` or `false`. */
export const flag = (fallback: 'true' | 'false' = 'false') =>
  z
    .enum(['true', 'false'])
    .default(fallback)
    .transform((text) => text === 'true')

export const port = (fallback: number) => wholeNumber(fallback, 0, 65_535)

export function wholeNumber(fallback: number, min = 0, max = Number.MAX_SAFE_INTEGER) {
  const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`
  const wrong = { error: `must be a whole number, ${range}`, abort: true }
  return z.coerce.number(wrong).int(wrong).min(min, wrong).max(max, wrong).default(fallback)
}

export function positiveNumber(fallback: number) {
  const error = 'must be a number above 0'
  return z.coerce.number(error).positive(error).default(fallback)
}

export const privateKey = () =>
  z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, { error: 'must be 0x and 64 hexadecimal digits', abort: true })
    .refine((key) => isKey(BigInt(key)), 'must be a key of secp256k1: it is 0, or too large')
export const address = () =>
  z.string().superRefine((text, { addIssue }) => {
    const message = addressFault(text)
    if (message) addIssue({ code: 'custom', message })
  })

/** Whole seconds, comma-separated. */
export const secondsList = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((text) => text.split(',').map((seconds) => Number(seconds.trim() || 'none')))
    .pipe(
      z
        .array(
          z
            .number('must be whole seconds, comma-separated')
            .int('must be whole seconds, comma-separated')
            .min(0, 'must not be negative')
            .max(7 * 86_400, 'must be a week at most'),
        )
        .min(1)
        .max(20, 'must be 20 spans at most'),
    )

/** One or more keys of 32 bytes, in hex, comma-separated. */
export const secretKeys = () =>
  z
    .string()
    .transform((text) => text.split(',').map((key) => key.trim()))
    .pipe(
      z.array(
        z
          .string()
          .regex(
            /^[0-9a-fA-F]{64}$/,
            'must be 64 hexadecimal digits, or several such, comma-separated',
          )
          .transform((key): Uint8Array => Buffer.from(key, 'hex')),
      ),
    )

/** True or false, a count of hops, or addresses and networks. */
export const trustedProxies = () =>
  z
    .string()
    .default('false')
    .transform((text): boolean | number | string => {
      if (text === 'true' || text === 'false') return text === 'true'
      return /^\d{1,2}$/.test(text) ? Number(text) || false : text
    })
    .refine(
      (value) => typeof value !== 'string' || value.split(',').every(isNetwork),
      'must be true, false, a number of proxies, or IP addresses or networks like 10.0.0.0/8',
    )

/** Names that stand for networks in @fastify/proxy-addr. */
const NETWORK_NAMES = new Set(['loopback', 'linklocal', 'uniquelocal'])

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.trim().split('/')
  if (NETWORK_NAMES.has(text.trim())) return true
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  if (bits === undefined) return true
  // All addresses at once are no network to the library: that is what `true` is for.
  const most = version === 4 ? 32 : 128
  return /^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most
}

/** Scheme and host of web pages, comma-separated, exactly as a browser says them. */
export const originsList = () =>
  z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((origin) => origin.trim() || []))
    .pipe(
      z.array(
        z
          .string()
          .refine(isOrigin, 'must be origins such as https://app.example.com, without a path'),
      ),
    )

const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
