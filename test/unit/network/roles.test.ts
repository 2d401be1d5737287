import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { NATS_ROLES } from '../../../src/bus/permissions.ts'
import { dataDirAt } from '../../../src/network/data/data-dir.ts'
import type { Keys } from '../../../src/network/data/keys.ts'
import { parseOptions } from '../../../src/network/options.ts'
import { layOutPorts } from '../../../src/network/ports.ts'
import { rolePrograms } from '../../../src/network/processes/roles.ts'
import { passwordVariable } from '../../../src/network/servers/nats-users.ts'
import { findServerUrls, neededPorts } from '../../../src/network/servers/servers.ts'

/** Who is told which password, when the operator runs the nats-servers. */
const Roles = suite('roles of a network')
const URL = 'nats://a:4222,nats://b:4222'
const secret = (role: string) => `p-of-${role}`
const passwords = Object.fromEntries(
  NATS_ROLES.map((role) => [passwordVariable(role), secret(role)]),
)
const before = { ...process.env }
Roles.after.each(() => {
  process.env = { ...before }
})

function programsOn(env: Readonly<Record<string, string>>) {
  Object.assign(process.env, env)
  const options = parseOptions([], '/')
  if (options === 'help') throw new Error('no options')
  const ports = layOutPorts(options.portBase, options.counts)
  const keys = {
    ...{ server_passwords: '00'.repeat(32), workers: ['0x1', '0x2'] },
  } as unknown as Keys
  const urls = findServerUrls(ports, keys, process.env)
  const dir = dataDirAt('/data')
  return {
    urls,
    needed: neededPorts(ports, urls),
    programs: rolePrograms({ root: '/', build: '/', dir, ports, keys, options, urls }),
  }
}

Roles('each role is its own user of the servers, and is told no other password', () => {
  const { programs, urls } = programsOn({ ...passwords, NATS_URL: URL })
  assert.is(urls.nats.auditor, 'nats://auditor:p-of-auditor@a:4222,nats://b:4222')
  for (const { name, role, env } of programs) {
    const told = JSON.stringify(env)
    const known = NATS_ROLES.filter((other) => told.includes(secret(other)))
    assert.equal(known, role === 'worker' ? [] : [role], name)
  }
})

Roles('servers without users are named as the operator names them', () => {
  const { programs } = programsOn({ NATS_URL: URL })
  for (const { role, env } of programs) if (role !== 'worker') assert.is(env?.NATS_URL, URL)
})

Roles('a signer of the environment does not go beside the keys of this network', () => {
  const signer = { LOCKER_SIGNER_URL: 'http://signer:9000', LOCKER_ADDRESS: `0x${'1'.repeat(40)}` }
  const { programs } = programsOn({ ...signer, MAX_TOKENS_DEFAULT: '7' })
  const { env } = programs.find(({ role }) => role === 'actors')!
  assert.is(env?.LOCKER_SIGNER_URL, undefined)
  assert.is(env?.LOCKER_ADDRESS, undefined)
  assert.is(env?.MAX_TOKENS_DEFAULT, '7')
})

Roles('each port that a role tells its figures on is looked at before a start', () => {
  const { programs, needed } = programsOn({})
  const told = programs.map(({ env }) => Number(env?.MONITOR_PORT ?? 0)).filter((port) => port > 0)
  assert.is(told.length, 6)
  assert.equal(
    told.filter((port) => !needed.includes(port)),
    [],
  )
})

Roles.run()
