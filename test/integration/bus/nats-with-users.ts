import { resolve } from 'node:path'
import { NATS_ROLES, type NatsRole } from '../../../src/bus/permissions.ts'
import { passwordVariable } from '../../../src/network/servers/nats-users.ts'
import { type Server, startServer } from '../servers.ts'

const CONFIG = resolve(import.meta.dirname, '../../../deploy/nats-with-users.conf')
const password = (role: NatsRole) => `p-${role}-for-tests`

export interface NatsWithUsers extends Server {
  urlAs(role: NatsRole): string
  /** Starts the server anew with this password of the role; without one: with that of before. */
  restartKnowing(role: NatsRole, other?: string): Promise<void>
}

/** nats-server as deployments run it: with the users of deploy/. */
export async function startNatsWithUsers(): Promise<NatsWithUsers> {
  const passwords = Object.fromEntries(
    NATS_ROLES.map((role) => [passwordVariable(role), password(role)]),
  )
  const env: NodeJS.ProcessEnv = { ...process.env, ...passwords }
  const server = await startServer(
    'nats',
    (port, dir) => [
      ...['nats-server', '--config', CONFIG, '-a', '127.0.0.1', '-p', `${port}`, '-js', '-sd', dir],
    ],
    env,
  )
  const { host } = new URL(server.url)
  return Object.assign(server, {
    urlAs: (role: NatsRole) => `nats://${role}:${password(role)}@${host}`,
    restartKnowing: (role: NatsRole, other = password(role)) => {
      env[passwordVariable(role)] = other
      return server.crash()
    },
  })
}
