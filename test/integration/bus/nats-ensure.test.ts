import type { JetStreamManager } from 'nats'
import { connect, headers } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ensureBucket, ensureStream, type Keeping } from '../../../src/bus/streams/ensure.ts'
import { STREAMS } from '../../../src/bus/streams/streams.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { type Server, startNats } from '../servers.ts'

const Ensure = suite('streams are made')

let server: Server
Ensure.before(async () => {
  server = await startNats()
})
Ensure.after(() => server?.stop())

Ensure('one that another makes in between, in another form, is brought up to date', async () => {
  const connection = await connect({ servers: server.url })
  const js = connection.jetstream()
  const jsm = await connection.jetstreamManager()
  let looked = 0
  /** Just after the first look, whoever else starts now makes it. */
  const late: JetStreamManager = Object.assign(Object.create(jsm), {
    streams: Object.assign(Object.create(jsm.streams), {
      info: async (name: string) => {
        const found = await jsm.streams.info(name).catch((error: unknown) => error)
        if (++looked === 1) await jsm.streams.add({ ...STREAMS.FACT, subjects: ['other.>'] })
        if (found instanceof Error) throw found
        return found
      },
    }),
  })
  const keeping: Keeping = {
    ...{ js, jsm: async () => late, impatient: { js, jsm: async () => jsm } },
    ...{ replicas: undefined, version: () => '2.9.10', keepsStreams: () => true },
    log: makeLog('test', 'silent'),
  }
  try {
    await ensureStream(keeping, 'FACT')
    const { config } = await jsm.streams.info('FACT')
    assert.equal(config.subjects, ['other.>', 'fact.>'])
  } finally {
    await connection.close()
  }
})

Ensure('no message empties a bucket, and a full one of nonces gives the oldest up', async () => {
  const connection = await connect({ servers: server.url })
  const js = connection.jetstream()
  const jsm = await connection.jetstreamManager()
  const keeping: Keeping = {
    ...{ js, jsm: async () => jsm, impatient: { js, jsm: async () => jsm } },
    ...{ replicas: undefined, version: () => '2.9.10', keepsStreams: () => true },
    log: makeLog('test', 'silent'),
  }
  try {
    // As it was made before.
    await js.views.kv('STRIKES', { history: 1 })
    for (const name of ['STRIKES', 'NONCES'] as const) {
      const kv = await ensureBucket(keeping, name)
      await kv.put('first', 'kept')
      const rollup = headers()
      rollup.set('Nats-Rollup', 'all')
      const emptied = js.publish(`$KV.${name}.second`, 'alone', { headers: rollup })
      await emptied.then(
        () => assert.unreachable('it was emptied'),
        (error: Error) => assert.match(error.message, 'rollup'),
      )
      assert.is((await kv.get('first'))?.string(), 'kept')
    }
    const { config } = await jsm.streams.info('KV_NONCES')
    await jsm.streams.update('KV_NONCES', { ...config, max_bytes: 1_000 })
    const nonces = await ensureBucket(keeping, 'NONCES')
    for (let i = 0; i < 50; i++) await nonces.put(`later_${i}`, 'open')
    assert.is((await nonces.get('later_49'))?.string(), 'open')
    assert.is(await nonces.get('first'), null)
  } finally {
    await connection.close()
  }
})

Ensure.run()
