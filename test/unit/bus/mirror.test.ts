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
  const tellBytes = (seq: number, data: Uint8Array, headers?: { get(): string }, key = 'key') => {
    const message = { subject: `$KV.WEBHOOKS.${key}`, seq, data, headers, info: { pending: 0 } }
    hear(null, message as never)
  }
  const tell = (seq: number, value: string | undefined) =>
    tellBytes(seq, encode(value ?? null), value === undefined ? { get: () => 'DEL' } : undefined)
  return { mirror, tell, tellBytes }
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

Copy('an entry that nobody can read is left out, and hides none of the others', async () => {
  const { mirror, tell, tellBytes } = await watched()
  const noMessage = new TextEncoder().encode('by hand')
  tellBytes(1, noMessage, undefined, 'other')
  assert.ok(mirror.whole, 'though it was the last of all')
  assert.is(mirror.get('other'), undefined)
  tell(2, 'second')
  tellBytes(3, noMessage)
  assert.is(mirror.get('key'), undefined)
  mirror.stop()
})

Copy.run()
