import { OperatorError } from '../../domain/operator-error.ts'
import { percentDecoded } from '../../domain/percent-decoded.ts'
import { inboxPrefix } from '../permissions.ts'

export interface NatsAddress {
  /** Without a user: the client library takes what is before the @ for a host. */
  readonly servers: string[]
  readonly user?: string
  readonly pass?: string
  /** Only over TLS: without it the library takes TLS where a server offers it, and goes on in the clear elsewhere. */
  readonly tls?: Record<never, never>
  /** A user's answers arrive where no other user may listen. */
  readonly inboxPrefix?: string
}

/**
 * @param servers `nats://user:password@host:port`, comma-separated; what the first one says of user and
 *   password holds for all, as servers of a cluster tell the client of others. So does one `tls://`
 * @throws {OperatorError} where one is no address, or they name different users
 */
export function natsAddress(servers: string): NatsAddress {
  const parsed = servers.split(',').map((server) => parse(server.trim()))
  const [first] = parsed
  const others = parsed.filter(({ user }) => user !== undefined && user !== first?.user)
  if (others.length > 0) throw new OperatorError('NATS_URL names more than one user: give one')
  return {
    servers: parsed.map(({ server }) => server),
    ...(parsed.some(({ server }) => server.startsWith('tls://')) ? { tls: {} } : {}),
    ...(first?.user === undefined
      ? {}
      : { user: first.user, pass: first.password, inboxPrefix: inboxPrefix(first.user) }),
  }
}

interface Parsed {
  readonly server: string
  readonly user?: string
  readonly password: string
}

/** The user ends at the first colon, the password at the first @: either is percent-encoded where it holds one. */
const SERVER = /^((?:nats|tls):\/\/)?(?:([^:@/]*)(?::([^@]*))?@)?([^@\s/]+)\/?$/

function parse(server: string): Parsed {
  const [, scheme = '', user = '', password = '', host = ''] = SERVER.exec(server) ?? []
  const [clearUser, clearPassword] = [percentDecoded(user), percentDecoded(password)]
  const isOtherScheme = scheme === '' && server.includes('://')
  const isHost = host !== '' && !isOtherScheme && URL.canParse(`http://${host}`)
  if (!isHost || clearUser === undefined || clearPassword === undefined) {
    // No more is said of it: it may hold a password.
    throw new OperatorError(
      'NATS_URL must be nats://user:password@host:port, or several such, comma-separated; in user and ' +
        'password each of @ : / % , is percent-encoded, as %40 for @',
    )
  }
  return {
    server: `${scheme}${host}`,
    ...(clearUser ? { user: clearUser } : {}),
    password: clearPassword,
  }
}
