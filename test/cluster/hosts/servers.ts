import { join, resolve } from 'node:path'
import type { DataDir } from '../../../src/network/data/data-dir.ts'
import type { Keys } from '../../../src/network/data/keys.ts'
import { writeWhole } from '../../../src/network/data/whole-file.ts'
import type { Ports } from '../../../src/network/ports.ts'
import type { Program } from '../../../src/network/processes/kept-program.ts'
import { findAnvil, findServers } from '../../../src/network/programs/programs.ts'
import { redisUsersFile } from '../../../src/network/servers/redis-users.ts'
import { natsPasswords, redisPasswordHash } from '../../../src/network/servers/server-users.ts'

const DEPLOY = resolve(import.meta.dirname, '../../../deploy')
const CHAIN_ID = '31337'

interface Options {
  readonly dir: DataDir
  readonly ports: Ports
  readonly keys: Keys
  /** Where they listen. */
  readonly address: string
}

/** With the configuration that operators get. */
export async function serverPrograms(options: Options): Promise<readonly Program[]> {
  const { dir, ports, keys, address } = options
  const paths = await findServers(['nats-server', 'redis-server'], (line) => {
    process.stdout.write(`${line}\n`)
  })
  writeWhole(
    dir.redisUsersFile,
    redisUsersFile({ hashOf: (role) => redisPasswordHash(keys, role) }),
    0o600,
  )
  return [
    {
      ...{ role: 'nats', name: 'nats', command: paths.get('nats-server')! },
      args: [
        ...['--config', join(DEPLOY, 'nats-with-users.conf'), '--addr', address],
        ...['--port', `${ports.nats}`, '--jetstream', '--store_dir', dir.natsStore],
      ],
      env: natsPasswords(keys),
    },
    {
      ...{ role: 'redis', name: 'redis', command: paths.get('redis-server')! },
      args: [
        ...[join(DEPLOY, 'redis.conf'), '--bind', address, '--port', `${ports.redis}`],
        ...['--dir', dir.redisStore, '--aclfile', dir.redisUsersFile],
      ],
    },
    {
      ...{ role: 'chain', name: 'chain', command: findAnvil() },
      args: [
        ...['--host', address, '--port', `${ports.chain}`, '--chain-id', CHAIN_ID],
        ...['--order', 'fifo', '--prune-history', '--silent'],
      ],
    },
  ]
}
