import { createHash, createHmac } from 'node:crypto'
import { NATS_ROLES, type NatsRole } from '../../bus/permissions.ts'
import type { RedisRole } from '../../store/permissions.ts'
import type { Keys } from '../data/keys.ts'
import { passwordVariable } from './nats-users.ts'

type Seed = Pick<Keys, 'server_passwords'>

/** With a letter in front: nats-server takes what begins with a digit for a number. */
const passwordOf = ({ server_passwords: seed }: Seed, user: string): string =>
  `p${createHmac('sha256', Buffer.from(seed, 'hex')).update(user).digest('hex')}`

/** What nats-server is told of its users' passwords, by its environment. */
export const natsPasswords = (keys: Seed): Readonly<Record<string, string>> =>
  Object.fromEntries(NATS_ROLES.map((role) => [passwordVariable(role), natsPassword(keys, role)]))

const natsPassword = (keys: Seed, role: NatsRole): string => passwordOf(keys, `nats.${role}`)

/** As a role's NATS_URL names its user. */
export const natsUrlAs = (url: string, keys: Seed, role: NatsRole): string =>
  withUser(url, role, natsPassword(keys, role))

/**
 * The same where the operator named the servers: as their user, if the environment has its password, in the
 * variable that the servers themselves read; else as it is.
 */
export function namedNatsUrl(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
  role: NatsRole,
): string {
  const password = env[passwordVariable(role)]
  return password ? withUser(url, role, password) : url
}

const redisPassword = (keys: Keys, role: RedisRole): string => passwordOf(keys, `redis.${role}`)

/** As redis-server keeps a password: its SHA-256 in hex. */
export const redisPasswordHash = (keys: Keys, role: RedisRole): string =>
  createHash('sha256').update(redisPassword(keys, role)).digest('hex')

/** As a role's REDIS_URL names its user. */
export const redisUrlAs = (url: string, keys: Keys, role: RedisRole): string =>
  withUser(url, role, redisPassword(keys, role))

/** At the first address, which may have no scheme, or another user: what it says holds for all. */
const withUser = (url: string, user: string, password: string): string =>
  url.replace(/^\s*(\w+:\/\/)?(?:[^@,]*@)?/, (_, scheme = '') => `${scheme}${user}:${password}@`)
