import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findOnPath } from '../../src/network/programs/on-path.ts'
import { unpack } from '../../src/network/programs/unpack.ts'

/** What `npm start` does for a user who may not install packages. */
const Unpacked = suite('unpacked programs')

Unpacked(
  'servers run from where they were unpacked, also when two starts unpack them at once',
  async () => {
    if (!findOnPath('apt-get')) return
    const cache = mkdtempSync(join(tmpdir(), 'un packed '))
    try {
      const packages = new Map([
        ['nats-server', ['nats-server']],
        ['redis-server', ['redis-server', 'redis-tools']],
      ])
      // A home that is none, as users without a name have it.
      const caches = ['/dev/null/.cache', cache]
      await Promise.all([unpack(packages, caches), unpack(packages, caches)])
      const program = (name: string) => join(cache, 'programs', name)
      assert.match(execFileSync(program('nats-server'), ['--version'], { encoding: 'utf8' }), /v\d/)
      await redisRuns(program('redis-server'), join(cache, 'redis.sock'))
    } finally {
      rmSync(cache, { recursive: true, force: true })
    }
  },
)

/** It is the very process that was started, so that a signal ends it. */
async function redisRuns(program: string, socket: string): Promise<void> {
  const args = ['--port', '0', '--unixsocket', socket, '--save', '']
  const server = spawn(program, args, { stdio: 'ignore' })
  const redis = new Redis(socket, { protocol: 2 })
  // It is not there yet; asked, it waits.
  redis.on('error', () => {})
  try {
    assert.match(await redis.info('server'), new RegExp(`process_id:${server.pid}\\b`))
  } finally {
    redis.disconnect()
    server.kill()
    await once(server, 'exit')
  }
}

Unpacked.run()
