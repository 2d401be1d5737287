import { setImmediate as turn } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeWorkQueue } from '../../../src/bus/streams/work-queue.ts'
import { makeLog } from '../../../src/telemetry/log.ts'

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
    jsm: { consumers: { add: () => opening } },
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

Queue.run()
