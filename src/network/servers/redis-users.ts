import {
  type Grant,
  REDIS_PERMISSIONS,
  REDIS_ROLES,
  type RedisRole,
} from '../../store/permissions.ts'

/**
 * What stands for the SHA-256 of a user's password, 64 hex digits, in deploy/redis-users.acl. A server
 * refuses to start with a file in which one was left.
 */
export const hashVariable = (role: RedisRole): string =>
  `SVC_REDIS_${role.toUpperCase()}_PASSWORD_SHA256`

export interface RedisUsers {
  /** SHA-256 of a user's password in hex, or what stands for it. */
  readonly hashOf: (role: RedisRole) => string
  /** Redis 6: what a user may do, and on which keys, but not which with which. */
  readonly isOld?: boolean
}

/**
 * Nobody can sign in as it. But Redis reads its append-only file with its rights, and would leave out all
 * transactions, which is what scripts write, if it had none.
 */
const DEFAULT_USER = 'user default off ~* &* +@all'

/** An ACL file of redis-server, which allows no comments: one line a user. */
export const redisUsersFile = ({ hashOf, isOld = false }: RedisUsers): string =>
  [DEFAULT_USER, ...REDIS_ROLES.map((role) => user(role, hashOf(role), isOld)), ''].join('\n')

/** deploy/redis-users.acl: with variables for whoever fills in what is not to be kept with the code. */
export const redisUsersTemplate = (): string =>
  redisUsersFile({ hashOf: (role) => `$${hashVariable(role)}` })

function user(role: RedisRole, hash: string, isOld: boolean): string {
  const grants = REDIS_PERMISSIONS[role]
  const rules = isOld ? together(grants) : grants.map(alone)
  return [`user ${role} on #${hash}`, ...rules].join(' ')
}

// What names no key belongs to the user, each of the others is a selector of its own.
const alone = ({ commands, keys, only }: Grant): string =>
  keys
    ? `(${[...keys.map(pattern(only)), ...allow(commands)].join(' ')})`
    : allow(commands).join(' ')

const pattern =
  (only: Grant['only']) =>
  (keys: string): string =>
    `${only === undefined ? '' : only === 'read' ? '%R' : '%W'}~${keys}`

const together = (grants: readonly Grant[]): string[] => {
  const keys = new Set(grants.flatMap((grant) => grant.keys ?? []))
  const commands = new Set(grants.flatMap((grant) => grant.commands))
  return [...[...keys].map(pattern(undefined)), ...allow([...commands])]
}

const allow = (commands: readonly string[]): string[] => commands.map((name) => `+${name}`)
