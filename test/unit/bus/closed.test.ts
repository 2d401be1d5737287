import { setImmediate as turn } from 'node:timers/promises'
import { ErrorCode, type JsMsg, type Msg, NatsError } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encode } from '../../../src/bus/codec.ts'
import { makeCoreBus } from '../../../src/bus/core/core-bus.ts'
import { makeWorkQueue } from '../../../src/bus/streams/work-queue.ts'
import type { Work } from '../../../src/ports/work-queue.ts'
import { makeLog } from '../../../src/telemetry/log.ts'

/** What was asked for is answered when this process has closed its connection: it goes. */
const Closed = suite('bus: a connection that we have closed')

const log = makeLog('test', 'silent')
const closed = (): never => {
  throw new NatsError('CONNECTION_CLOSED', ErrorCode.ConnectionClosed)
}

Closed('an answer that comes too late is no fault', () => {
  let hear: (error: null, message: Msg) => void = () => {}
  const connection = {
    publish: closed,
    status: async function* () {},
    isClosed: () => false,
    subscribe: (_subject: string, { callback }: { callback: typeof hear }) => {
      hear = callback
      return { unsubscribe: () => {} }
    },
  }
  let answer: (reply: unknown) => void = () => {}
  const bus = makeCoreBus(connection as never, log)
  bus.subscribe('asked', (_message, _subject, respond) => {
    answer = respond
  })
  const respond = closed
  hear(null, { subject: 'asked', reply: '_INBOX.1', data: encode({}), respond } as never)
  assert.not.throws(() => answer('late'))
  assert.not.throws(() => bus.publish('told', 'late'), 'nor is a word to whoever hears it')
})

Closed('nor is an acknowledgement, which another process makes in its place', async () => {
  const message = {
    ...{ seq: 1, data: encode({}), info: { timestampNanos: 0, deliveryCount: 1 } },
    ...{ ack: closed, nak: closed, working: closed },
  } as unknown as JsMsg
  const handed: Work<unknown>[] = []
  let fetches = 0
  const fetch = async () => {
    const isFirst = fetches++ === 0
    return Object.assign(isFirst ? [message] : [], { stop: () => {} })
  }
  const reader = {
    ...{ stream: 'HOOK', log },
    jsm: { consumers: { info: async () => undefined, add: async () => {} } },
    js: { consumers: { get: async () => ({ fetch }) } },
  }
  const terms = { name: 'test', filter: 'hook.*', ackWaitMs: 30, heldMost: 10 }
  const queue = makeWorkQueue<unknown>(reader as never, terms)
  const taking = queue.take({
    room: () => 1 - handed.length,
    each: (work) => void handed.push(work),
  })
  while (handed.length === 0) await turn()
  await taking.stop()
  await new Promise((resolve) => setTimeout(resolve, 30))
  const [work] = handed
  assert.not.throws(() => work?.later(0))
  assert.not.throws(() => work?.done())
})

Closed.run()
