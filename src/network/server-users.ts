import { createHmac } from 'node:crypto'
import { NATS_ROLES, type NatsRole } from '../bus/permissions.ts'
import type { Keys } from './keys.ts'
import { passwordVariable } from './nats-users.ts'

/** With a letter in front: nats-server takes what begins with a digit for a number. */
const passwordOf = ({ server_passwords: seed }: Keys, user: string): string =>
  `p${createHmac('sha256', Buffer.from(seed, 'hex')).update(user).digest('hex')}`

/** What nats-server is told of its users' passwords, by its environment. */
export const natsPasswords = (keys: Keys): Readonly<Record<string, string>> =>
  Object.fromEntries(NATS_ROLES.map((role) => [passwordVariable(role), natsPassword(keys, role)]))

const natsPassword = (keys: Keys, role: NatsRole): string => passwordOf(keys, `nats.${role}`)

/** As a role's NATS_URL names its user. */
export const natsUrlAs = (url: string, keys: Keys, role: NatsRole): string =>
  withUser(url, role, natsPassword(keys, role))

const withUser = (url: string, user: string, password: string): string =>
  url.replace('://', `://${user}:${password}@`)
