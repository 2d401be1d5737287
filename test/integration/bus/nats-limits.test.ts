import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { connect, NatsError, StorageType } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectNats } from '../../../src/bus/connect.ts'
import { NATS_ROLES } from '../../../src/bus/permissions.ts'
import { actorsSchema } from '../../../src/config/schema.ts'
import { passwordVariable } from '../../../src/network/servers/nats-users.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { freePort, type Server, startNats, startServer } from '../servers.ts'

/** How much of the disk NATS may take is said, and not guessed from what is free when it starts; and whom it waits for. */
const Limits = suite('limits of nats-server')
const DEPLOY = resolve(import.meta.dirname, '../../../deploy')
const RESOURCES = 10_023
const MEBIBYTE = 1024 * 1024
const env = {
  ...process.env,
  ...Object.fromEntries(NATS_ROLES.map((role) => [passwordVariable(role), `p-${role}-for-tests`])),
}
const folder = mkdtempSync(join(tmpdir(), 'svc-limits-'))
const servers: Server[] = []
Limits.after(async () => {
  for (const server of servers) await server.stop()
  rmSync(folder, { recursive: true })
})

Limits('max_file_store is that of nats.conf, with users', async () => {
  const monitor = await freePort()
  const server = await startServer(
    'nats',
    (port, dir) => run(port, dir, monitor, 'nats-with-users.conf'),
    env,
  )
  servers.push(server)
  const answer = await fetch(`http://127.0.0.1:${monitor}/jsz`)
  const { config } = (await answer.json()) as { config: { max_storage: number } }
  const [, gigabytes] = /^MAX_FILE_STORE = (\d+)GB$/m.exec(deployed('nats.conf'))!
  assert.is(config.max_storage, Number(gigabytes) * 1024 * MEBIBYTE)
  // What the alert compares with, where nothing else is set.
  assert.is(actorsSchema.shape.NATS_MAX_FILE_STORE_GB.parse(undefined), Number(gigabytes))
})

Limits('a client that has died without a word is noticed within half a minute', async () => {
  const monitor = await freePort()
  servers.push(await startServer('nats', (port, dir) => run(port, dir, monitor, 'nats.conf')))
  const answer = await fetch(`http://127.0.0.1:${monitor}/varz`)
  const { ping_interval, ping_max } = (await answer.json()) as Record<string, number>
  assert.equal([ping_interval! / 1e9, ping_max], [10, 2])
})

Limits('max_file_store is said again where a cluster has a block of its own', () => {
  const [, own] = /^jetstream \{([^}]*)\}/m.exec(deployed('nats-cluster.conf'))!
  assert.match(own!, /^ {2}max_file_store: \$MAX_FILE_STORE$/m)
})

Limits(
  'max_file_store reached: writes are refused, health is well, and a higher one is the cure',
  async () => {
    const monitor = await freePort()
    const config = join(folder, 'nats.conf')
    const choose = (size: string) => {
      const text = deployed('nats.conf').replace(
        /^MAX_FILE_STORE = .*$/m,
        `MAX_FILE_STORE = ${size}`,
      )
      writeFileSync(config, text)
    }
    choose('4MB')
    const server = await startServer('nats', (port, dir) => run(port, dir, monitor, config))
    servers.push(server)

    const before = await fill(server.url, 8)
    assert.is(before.refused?.api_error?.err_code, RESOURCES)
    assert.is((await fetch(`http://127.0.0.1:${monitor}/healthz`)).status, 200)

    choose('100MB')
    await server.crash()
    const after = await fill(server.url, 8)
    assert.is(after.refused, undefined)
    assert.is(after.stored, before.stored + 8)
  },
)

Limits('servers that take no message as large as the longest prompt are told of', async () => {
  const monitor = await freePort()
  const ours = await startServer('nats', (port, dir) => run(port, dir, monitor, 'nats.conf'))
  const plain = await startNats()
  servers.push(ours, plain)
  const told = async ({ url }: Server) => {
    const lines: string[] = []
    const log = makeLog('test', 'warn', { write: (line) => void lines.push(line) })
    const nats = await connectNats({ servers: url, name: 'test', log })
    await nats.close()
    return lines.filter((line) => line.includes('max_payload')).length
  }
  assert.equal([await told(ours), await told(plain)], [0, 1])
})

const deployed = (file: string) => readFileSync(join(DEPLOY, file), 'utf8')

const run = (port: number, dir: string, monitor: number, config: string) => [
  ...['nats-server', '-c', resolve(DEPLOY, config), '-a', '127.0.0.1', '-p', `${port}`],
  ...['-m', `${monitor}`, '-js', '-sd', dir],
]

/** Writes so many mebibytes, one after the other, until one is refused. */
async function fill(url: string, mebibytes: number) {
  const connection = await connect({ servers: url })
  try {
    const streams = (await connection.jetstreamManager()).streams
    await streams.add({ name: 'JOURNAL', subjects: ['journal'], storage: StorageType.File })
    let refused: NatsError | undefined
    for (let i = 0; i < mebibytes && !refused; i++) {
      await connection
        .jetstream()
        .publish('journal', new Uint8Array(MEBIBYTE))
        .catch((error: unknown) => {
          if (!(error instanceof NatsError)) throw error
          refused = error
        })
    }
    return { refused, stored: (await streams.info('JOURNAL')).state.messages }
  } finally {
    await connection.close()
  }
}

Limits.run()
