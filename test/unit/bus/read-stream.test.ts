import { ErrorCode, type JetStreamClient, type JetStreamManager, type JsMsg, NatsError } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readStream } from '../../../src/bus/streams/read-stream.ts'
import { makeLog } from '../../../src/telemetry/log.ts'

const Read = suite('read a stream')

/** A server that holds messages 1 to `last`, whose n-th consumer loses what `lost[n]` says. */
function server(last: number, lost: readonly (readonly number[])[]) {
  let opened = 0
  const starts: number[] = []
  let next = 0
  let lose: readonly number[] = []
  let delivered = 0
  const jsm = {
    streams: { info: async () => ({ state: { messages: last, last_seq: last } }) },
    consumers: {
      add: async (_stream: string, { opt_start_seq: from }: { opt_start_seq: number }) => {
        starts.push(from)
        next = from
        lose = lost[opened++] ?? []
        delivered = 0
        return { name: `consumer-${opened}` }
      },
      delete: async () => true,
    },
  }
  const fetch = async ({ max_messages: most }: { max_messages: number }) => {
    const batch: JsMsg[] = []
    for (let count = 0; count < most && next <= last; count++, next++) {
      const message = { seq: next, info: { deliverySequence: ++delivered } }
      if (!lose.includes(next)) batch.push(message as JsMsg)
    }
    return batch
  }
  const js = { consumers: { get: async () => ({ fetch }) } }
  const log = makeLog('test', 'silent')
  return {
    starts,
    reader: {
      stream: 'JOB' as const,
      js: js as unknown as JetStreamClient,
      jsm: jsm as unknown as JetStreamManager,
      log,
    },
  }
}

async function read(last: number, lost: readonly (readonly number[])[]) {
  const { reader, starts } = server(last, lost)
  const seen: number[] = []
  const each = (messages: readonly JsMsg[]) => void seen.push(...messages.map(({ seq }) => seq))
  await readStream(reader, { from: 1, batch: 3, each })
  return { seen, starts }
}

Read('in batches, in order, to the end', async () => {
  assert.equal(await read(7, []), { seen: [1, 2, 3, 4, 5, 6, 7], starts: [1] })
})

Read(
  'what a broken connection did not bring is read again, and nothing is passed over',
  async () => {
    // The end of a batch, that nobody misses until the next one; and one in the middle.
    assert.equal(await read(7, [[2, 3]]), {
      seen: [1, 1, 2, 3, 4, 5, 6, 7].slice(1),
      starts: [1, 2],
    })
    assert.equal((await read(7, [[5]])).seen, [1, 2, 3, 4, 5, 6, 7])
    assert.equal((await read(7, [[1], [6]])).seen, [1, 2, 3, 4, 5, 6, 7])
  },
)

Read('to the end also where the last message is gone, by its age, before it is read', async () => {
  const { reader } = server(0, [])
  const sizes = [1, 0]
  reader.jsm.streams.info = async () =>
    ({ state: { messages: sizes.shift(), last_seq: 1 } }) as never
  let fetches = 0
  const fetch = async () => {
    if (++fetches > 1) throw new NatsError('CONNECTION_CLOSED', ErrorCode.ConnectionClosed)
    return []
  }
  reader.js.consumers.get = async () => ({ fetch }) as never
  await readStream(reader, { from: 1, batch: 3, each: () => assert.unreachable() })
  assert.is(sizes.length, 0)
})

Read(
  'what the reader throws ends it: it is handed no more, and the server is not blamed',
  async () => {
    const { reader, starts } = server(9, [])
    const full = new Error('the store is full')
    const handed: number[] = []
    const each = async (messages: readonly JsMsg[]) => {
      handed.push(messages.length)
      if (handed.length === 2) throw full
    }
    const error = await readStream(reader, { from: 1, batch: 3, each }).catch((thrown) => thrown)
    assert.is(error, full)
    assert.equal([handed, starts], [[3, 3], [1]])
  },
)

Read('nothing more is handed over before the reader is done with what it has', async () => {
  const { reader } = server(9, [])
  let busy = 0
  const each = async () => {
    assert.is(busy++, 0)
    await new Promise((resolve) => setTimeout(resolve, 5))
    busy--
  }
  await readStream(reader, { from: 1, batch: 3, each })
  assert.is(busy, 0)
})

Read('not at all beyond the end, and no more once we have closed the connection', async () => {
  const { reader, starts } = server(4, [])
  await readStream(reader, { from: 5, batch: 3, each: () => assert.unreachable() })
  assert.equal(starts, [])
  const closed = new NatsError('CONNECTION_CLOSED', ErrorCode.ConnectionClosed)
  reader.jsm.streams.info = async () => {
    throw closed
  }
  const reading = readStream(reader, { from: 1, batch: 3, each: () => assert.unreachable() })
  assert.is(await reading.catch((thrown) => thrown), closed)
})

Read.run()
