import { resolve } from 'node:path'
import { NATS_ROLES, type NatsRole } from '../../src/bus/permissions.ts'
import { passwordVariable } from '../../src/network/nats-users.ts'
import { type Server, startServer } from './servers.ts'

const CONFIG = resolve(import.meta.dirname, '../../deploy/nats-with-users.conf')
const password = (role: NatsRole) => `p-${role}-for-tests`

/** nats-server as deployments run it: with the users of deploy/. */
export async function startNatsWithUsers(): Promise<Server & { urlAs(role: NatsRole): string }> {
  const env = Object.fromEntries(NATS_ROLES.map((role) => [passwordVariable(role), password(role)]))
  const server = await startServer(
    'nats',
    (port, dir) => [
      ...['nats-server', '--config', CONFIG, '-a', '127.0.0.1', '-p', `${port}`, '-js', '-sd', dir],
    ],
    { ...process.env, ...env },
  )
  const { host } = new URL(server.url)
  return Object.assign(server, {
    urlAs: (role: NatsRole) => `nats://${role}:${password(role)}@${host}`,
  })
}
