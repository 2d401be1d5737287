import { CannotTell } from './cannot-tell.ts'

const FORM = 'in user and password each of @ : / ? # % is percent-encoded, as %40 for @'

/** Where it is, for messages: the rest of an address may be a password, or a provider's key. */
export const placeOf = (address: string): string =>
  URL.canParse(address) ? new URL(address).host : 'the address that was given'

/** @throws {CannotTell} where the client library would make a socket file or this machine of it */
export function redisAddress(text: string): string {
  const url = parsed(text)
  if (url && /^rediss?:$/.test(url.protocol)) return text.trim()
  throw new CannotTell(
    `--redis (or REDIS_URL) must be redis://user:password@host:port, or rediss:// with TLS; ${FORM}`,
  )
}

export interface NatsAddress {
  /** Without user and password. */
  readonly servers: readonly string[]
  /** Only over TLS, as one `tls://` asks for. */
  readonly tls?: Record<never, never>
  readonly user?: string
  readonly pass?: string
}

/**
 * `nats://user:password@host:port`, comma-separated; the first one's user counts.
 * @throws {CannotTell} where one is no address
 */
export function natsAddress(text: string): NatsAddress {
  const urls = text
    .split(',')
    .map((one) => parsed(/:\/\//.test(one) ? one : `nats://${one.trim()}`))
  const [first] = urls
  if (!first || !urls.every((url) => url !== undefined)) {
    throw new CannotTell(
      `--nats (or NATS_URL) must be nats://user:password@host:port, comma-separated; ${FORM}`,
    )
  }
  const servers = urls.map((url) => `${url.protocol}//${url.host}`)
  const tls = urls.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}
  if (first.username === '' || first.password === '') return { servers, ...tls }
  const [user, pass] = [first.username, first.password].map(decodeURIComponent) as [string, string]
  return { servers, ...tls, user, pass }
}

/** Undefined: no address, or one whose user or password is not encoded as it must be. */
function parsed(text: string): URL | undefined {
  const address = text.trim()
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  try {
    decodeURIComponent(url.username)
    decodeURIComponent(url.password)
  } catch {
    return undefined
  }
  // "p@ss" is encoded by whoever parses it: then the password was not what was meant, or was.
  return url.hostname === '' || /@.*@/.test(address) ? undefined : url
}
