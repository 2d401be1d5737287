import { type ConsumerOpts, DeliverPolicy, type JetStreamClient, type NatsConnection } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeRegistry } from '../../../src/bus/buckets/registry.ts'
import { encode } from '../../../src/bus/codec.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { until } from '../../until.ts'

const Watch = suite('watch of a bucket')

Watch('that ends by itself: that is told at once, and then all that there is', async () => {
  const opened: ConsumerOpts[] = []
  const js = {
    subscribe: async (_subject: string, settings: { getOpts(): ConsumerOpts }) => {
      opened.push(settings.getOpts())
      return { unsubscribe: () => {} }
    },
  } as unknown as JetStreamClient
  const connection = {
    isClosed: () => false,
    status: async function* () {},
  } as unknown as NatsConnection
  const log = makeLog('test', 'silent')
  const keys = makeRegistry({ bucket: 'KEYS', kv: {} as never, js, connection, log })
  const told: string[] = []
  let broken = 0
  const options = { updatesOnly: true, broken: () => broken++ }
  const stop = await keys.watch('>', (key) => told.push(key), options)
  assert.is(opened[0]!.config.deliver_policy, DeliverPolicy.New)
  opened[0]!.callbackFn!(new Error('no consumer can be made') as never, null)
  assert.is(broken, 1)
  await until('another one to be opened', () => opened.length === 2)
  assert.is(opened[1]!.config.deliver_policy, DeliverPolicy.LastPerSubject)
  const message = { subject: '$KV.KEYS.hash', seq: 1, data: encode({}), info: { pending: 0 } }
  opened[1]!.callbackFn!(null, message as never)
  assert.equal([told, broken], [['hash'], 1])
  stop()
})

Watch.run()
