import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encode } from '../../../src/bus/codec.ts'
import { makeWorkQueue } from '../../../src/bus/streams/work-queue.ts'
import type { Work } from '../../../src/ports/work-queue.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'

const Queue = suite('queue of work')

Queue('stopped while it still opens: nothing is fetched, which would take seconds', async () => {
  let opened = () => {}
  const opening = new Promise<void>((resolve) => {
    opened = resolve
  })
  let fetches = 0
  const fetch = async () => {
    fetches++
    return Object.assign([], { stop: () => {} })
  }
  const reader = {
    ...{ stream: 'HOOK', log: makeLog('test', 'silent') },
    jsm: { consumers: { info: () => opening, add: async () => {} } },
    js: { consumers: { get: async () => ({ fetch }) } },
  }
  const terms = { name: 'test', filter: 'hook.*', ackWaitMs: 30, heldMost: 10 }
  const taking = makeWorkQueue<unknown>(reader as never, terms).take({
    room: () => 1,
    each: () => {},
  })
  await turn()
  const stopping = taking.stop()
  opened()
  await stopping
  assert.is(fetches, 0)
})

interface Handed {
  readonly seq: number
  readonly body?: unknown
  /** When it was stored. */
  readonly at?: number
  readonly data?: Uint8Array
}

/** A consumer that hands out what it is told to, and what is said of each message, by place. */
function consumerOf(ackWaitMs = 60_000) {
  const said: string[] = []
  let waiting: Handed[] = []
  let wake = () => {}
  const message = (
    { seq, body = `body ${seq}`, at = 1_000 + seq, data }: Handed,
    copy: number,
  ) => ({
    ...{ seq, data: data ?? encode(body), info: { timestampNanos: at * 1e6, deliveryCount: 1 } },
    ack: () => said.push(`ack ${seq} of ${copy}`),
    nak: (span?: number) => said.push(`nak ${seq} ${span ?? ''}`.trim()),
    working: () => said.push(`working ${seq}`),
  })
  let copies = 0
  const fetch = async () => {
    await new Promise<void>((resolve) => {
      wake = resolve
      if (waiting.length > 0) resolve()
    })
    const messages = waiting.map((each) => message(each, ++copies))
    waiting = []
    return Object.assign(messages, { stop: () => {} })
  }
  const reader = {
    ...{ stream: 'HOOK', log: makeLog('test', 'silent') },
    jsm: { consumers: { info: async () => undefined, add: async () => {} } },
    js: { consumers: { get: async () => ({ fetch }) } },
  }
  const taken: Work<unknown>[] = []
  const terms = { name: 'test', filter: 'hook.*', ackWaitMs, heldMost: 10 }
  const taking = makeWorkQueue<unknown>(reader as never, terms).take({
    room: () => 10,
    each: (work) => void taken.push(work),
  })
  const hand = async (...messages: Handed[]) => {
    waiting.push(...messages)
    wake()
    await rest()
  }
  /** What is on its way by then arrives. */
  const stop = async (...messages: Handed[]) => {
    await rest()
    const stopped = taking.stop()
    waiting.push(...messages)
    wake()
    await stopped
  }
  return { said, taken, hand, stop }
}

Queue(
  'each is handed over once; of its copies the newest is acknowledged, and one that is late, too',
  async () => {
    const { said, taken, hand, stop } = consumerOf()
    await hand({ seq: 1 }, { seq: 2 })
    await hand({ seq: 1 })
    assert.equal(
      taken.map(({ body, sequence, storedAt }) => [body, sequence, storedAt]),
      [
        ['body 1', 1, 1_001],
        ['body 2', 2, 1_002],
      ],
    )
    taken[0]!.done()
    assert.equal(said, ['ack 1 of 3'])
    await hand({ seq: 1 })
    assert.equal(said, ['ack 1 of 3', 'ack 1 of 4'])
    assert.is(taken.length, 2)
    await stop()
  },
)

Queue('what was put off may come again', async () => {
  const { said, taken, hand, stop } = consumerOf()
  await hand({ seq: 1 })
  taken[0]!.later(5_000)
  assert.equal(said, ['nak 1 5000'])
  await hand({ seq: 1 })
  assert.is(taken.length, 2)
  await stop()
})

Queue(
  'a stream that was made anew counts from 1 again: nothing of it was done before',
  async () => {
    const { taken, hand, stop } = consumerOf()
    await hand({ seq: 1 }, { seq: 2 })
    taken[0]!.done()
    await hand({ seq: 1, at: 9_001, body: 'new 1' }, { seq: 2, at: 9_002, body: 'new 2' })
    assert.equal(
      taken.slice(2).map(({ body }) => body),
      ['new 1', 'new 2'],
    )
    await stop()
  },
)

Queue(
  'what nobody can read leaves the queue, and keeps no other from being handed over',
  async () => {
    const { said, taken, hand, stop } = consumerOf()
    await hand({ seq: 1, data: Uint8Array.of(0x93, 1) }, { seq: 2 })
    assert.equal(said, ['ack 1 of 1'])
    assert.equal(
      taken.map(({ sequence }) => sequence),
      [2],
    )
    await stop()
  },
)

Queue('what is held is kept from others until it is done, also once no more is taken', async () => {
  const { said, taken, hand, stop } = consumerOf(30)
  const kept = () => said.splice(0).filter((each) => each === 'working 1').length
  await hand({ seq: 1 })
  await sleep(50)
  assert.ok(kept() > 0)
  await stop()
  await sleep(50)
  assert.ok(kept() > 0)
  taken[0]!.done()
  said.length = 0
  await sleep(50)
  assert.is(kept(), 0)
})

Queue('what arrives once it is stopped is for others', async () => {
  const { said, taken, stop } = consumerOf()
  await stop({ seq: 1 })
  assert.equal([said, taken], [['nak 1'], []])
})

Queue.run()
