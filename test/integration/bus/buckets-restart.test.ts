import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectNats, type Nats } from '../../../src/bus/connect.ts'
import { BUCKETS, type BucketName } from '../../../src/bus/streams/streams.ts'
import type { Registry } from '../../../src/ports/registry.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { until } from '../../until.ts'
import { type Server, startNats } from '../servers.ts'

/** A NATS that dies and starts anew, as processes that stay up see it. */
const Restart = suite('buckets after a restart of NATS')
const log = makeLog('test', process.env.TEST_LOG ?? 'silent')
const NAMES = Object.keys(BUCKETS) as BucketName[]

let server: Server
let nats: Nats
Restart.before(async () => {
  server = await startNats()
  nats = await connectNats({ servers: server.url, name: 'test', log })
})
Restart.after(async () => {
  await nats?.close()
  await server?.stop()
})

Restart('every bucket is there, with what it held, and takes what is new', async () => {
  const buckets = new Map<BucketName, Registry>()
  for (const name of NAMES) {
    const bucket = await nats.registry(name)
    await bucket.set('before', name)
    buckets.set(name, bucket)
  }
  await server.crash()
  for (const [name, bucket] of buckets) {
    await until(`${name} takes a new entry`, () =>
      bucket.set('after', name).then(
        () => true,
        () => false,
      ),
    )
    assert.is((await bucket.get('before'))?.value, name, name)
    assert.is((await bucket.get('after'))?.value, name, name)
  }
})

Restart.run()
