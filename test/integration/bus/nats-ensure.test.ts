import type { JetStreamManager } from 'nats'
import { connect } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ensureStream, type Keeping } from '../../../src/bus/streams/ensure.ts'
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

Ensure.run()
