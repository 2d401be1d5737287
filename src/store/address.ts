import { OperatorError } from '../domain/operator-error.ts'
import { percentDecoded } from '../domain/percent-decoded.ts'

/**
 * What the client library takes for an address of Redis without a doubt: of all else it makes a socket file,
 * a port, or this machine, and waits there for ever.
 * @throws {OperatorError} where it is none
 */
export function redisAddress(text: string): string {
  const address = text.trim()
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isRedis = url?.protocol === 'redis:' || url?.protocol === 'rediss:'
  const isEncoded = (text: string) => percentDecoded(text) !== undefined
  if (url && isRedis && url.hostname !== '' && [url.username, url.password].every(isEncoded)) {
    return address
  }
  // No more is said of it: it may hold a password.
  throw new OperatorError(
    'REDIS_URL must be redis://user:password@host:port, or rediss:// with TLS; in user and password each ' +
      'of @ : / ? # % is percent-encoded, as %40 for @',
  )
}
