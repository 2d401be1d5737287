import type { ConsumerOpts, ConsumerOptsBuilder, JetStreamClient, KV, NatsConnection } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeMirror } from '../../../src/bus/buckets/mirror.ts'
import { encode } from '../../../src/bus/codec.ts'
import { makeLog } from '../../../src/telemetry/log.ts'

const Copy = suite('mirror of a bucket')

interface ReadsOptions extends ConsumerOptsBuilder {
  getOpts(): ConsumerOpts
}

/** A mirror, and what hands it a message of its bucket. */
async function watched() {
  let hear: NonNullable<ConsumerOpts['callbackFn']> = () => {}
  const js = {
    subscribe: async (_subject: string, settings: ReadsOptions) => {
      hear = settings.getOpts().callbackFn!
      return { unsubscribe: () => {} }
    },
  } as unknown as JetStreamClient
  const connection = {
    isClosed: () => false,
    status: async function* () {},
  } as unknown as NatsConnection
  const mirror = makeMirror<string>({
    ...{ bucket: 'WEBHOOKS', js, connection, log: makeLog('test', 'silent') },
    kv: { status: async () => ({ values: 1 }) } as unknown as KV,
    parse: (value) => value as string,
  })
  await new Promise(setImmediate)
  const tell = (seq: number, value: string | undefined) => {
    const headers = value === undefined ? { get: () => 'DEL' } : undefined
    const data = encode(value ?? null)
    const message = { subject: '$KV.WEBHOOKS.key', seq, data, headers, info: { pending: 0 } }
    hear(null, message as never)
  }
  return { mirror, tell }
}

Copy('a change that comes late or twice does not undo a newer one', async () => {
  const { mirror, tell } = await watched()
  tell(2, 'second')
  tell(1, 'first')
  assert.is(mirror.get('key'), 'second')
  tell(3, undefined)
  tell(2, 'second')
  assert.is(mirror.get('key'), undefined)
  tell(4, 'fourth')
  assert.is(mirror.get('key'), 'fourth')
  mirror.stop()
})

Copy.run()
