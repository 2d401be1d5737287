import { OperatorError } from '../domain/operator-error.ts'
import { inboxPrefix } from './permissions.ts'

export interface NatsAddress {
  /** Without a user: the client library takes what is before the @ for a host. */
  readonly servers: string[]
  readonly user?: string
  readonly pass?: string
  /** A user's answers arrive where no other user may listen. */
  readonly inboxPrefix?: string
}

/**
 * @param servers `nats://user:password@host:port`, comma-separated; what the first one says of user and
 *   password holds for all, as servers of a cluster tell the client of others
 * @throws {OperatorError} where they name different users
 */
export function natsAddress(servers: string): NatsAddress {
  const parsed = servers.split(',').map((server) => parse(server.trim()))
  const [first] = parsed
  const others = parsed.filter(({ user }) => user !== undefined && user !== first?.user)
  if (others.length > 0) throw new OperatorError('NATS_URL names more than one user: give one')
  return {
    servers: parsed.map(({ server }) => server),
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

function parse(server: string): Parsed {
  const found = /^(\w+:\/\/)?(?:([^:@/]*)(?::([^@]*))?@)?(.*)$/.exec(server)
  const [, scheme = '', user, password = '', host = ''] = found ?? []
  return {
    server: `${scheme}${host}`,
    ...(user ? { user: decodeURIComponent(user) } : {}),
    password: decodeURIComponent(password),
  }
}
