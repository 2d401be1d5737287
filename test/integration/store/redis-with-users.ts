import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { hashVariable } from '../../../src/network/servers/redis-users.ts'
import { REDIS_ROLES, type RedisRole } from '../../../src/store/permissions.ts'
import { type Server, startServer } from '../servers.ts'

const DEPLOY = resolve(import.meta.dirname, '../../../deploy')
const password = (role: RedisRole) => `p-${role}-for-tests`

/** redis-server as deployments run it: with the users of deploy/. */
export async function startRedisWithUsers(): Promise<Server & { urlAs(role: RedisRole): string }> {
  const server = await startServer('redis', (port, dir) => {
    const users = join(dir, 'users.acl')
    writeFileSync(users, filledIn(readFileSync(join(DEPLOY, 'redis-users.acl'), 'utf8')))
    const flags = ['--bind', '127.0.0.1', '--port', `${port}`, '--dir', dir, '--aclfile', users]
    return ['redis-server', join(DEPLOY, 'redis.conf'), ...flags]
  })
  const { host } = new URL(server.url)
  return Object.assign(server, {
    urlAs: (role: RedisRole) => `redis://${role}:${password(role)}@${host}`,
  })
}

const filledIn = (template: string): string =>
  REDIS_ROLES.reduce((text, role) => {
    const hash = createHash('sha256').update(password(role)).digest('hex')
    return text.replace(`$${hashVariable(role)}`, hash)
  }, template)
