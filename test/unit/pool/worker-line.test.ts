import { EventEmitter } from 'node:events'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ConnectResponse } from '../../../proto/gen/svc/worker/v1/worker.ts'
import type { ToWorker, WorkerCall } from '../../../src/pool/session/worker-call.ts'
import { WorkerLine } from '../../../src/pool/session/worker-line.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

const Line = suite('pool: what is said to a worker')

/** A stream that notes what is written, and says that it is read when a test wants it. */
class Call extends EventEmitter {
  readonly kinds: string[] = []
  readonly unread: (() => void)[] = []
  destroyed = false
  writableEnded = false

  write({ message }: ConnectResponse, read: () => void): boolean {
    const inside = message?.$case === 'batch' ? message.value.messages : []
    const kinds = inside.map((each) => each.message?.$case)
    this.kinds.push(kinds.length > 0 ? `batch of ${kinds.join(', ')}` : `${message?.$case}`)
    this.unread.push(read)
    return true
  }
}

function lineTo(batches: boolean) {
  const [call, clock] = [new Call(), new ManualClock()]
  return { call, clock, line: new WorkerLine(call as unknown as WorkerCall, clock, batches) }
}
const cancel: ToWorker = { $case: 'cancel', value: { jobId: 'job', settle: false } }
const offer = (content: string): ToWorker => ({
  $case: 'offer',
  value: {
    jobId: 'job',
    model: 'model',
    messages: [{ role: 2, content }],
    sampling: undefined,
    maxOutputTokens: 1,
    deadlineAt: 0,
    canary: false,
  },
})
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

Line('one that reads batches gets all of a turn as one, in its order', async () => {
  const { call, line } = lineTo(true)
  line.say(offer('a'))
  line.say(cancel)
  line.say(offer('b'))
  assert.equal(call.kinds, [])
  await turn()
  line.say(cancel)
  await turn()
  assert.equal(call.kinds, ['batch of offer, cancel, offer', 'cancel'])
})

Line('one that does not gets each alone, at once', () => {
  const { call, line } = lineTo(false)
  line.say(offer('a'))
  line.say(cancel)
  assert.equal(call.kinds, ['offer', 'cancel'])
})

Line('one that reads nothing is stuck, and one that reads slowly is not', async () => {
  const { call, clock, line } = lineTo(false)
  for (const content of ['a', 'b', 'c']) line.say(offer(content))
  await clock.advance(5_000)
  assert.is(line.stuckMs, 5_000)
  call.unread.shift()?.()
  assert.is(line.stuckMs, 0)
  await clock.advance(1_000)
  line.say(cancel)
  assert.is(line.stuckMs, 1_000, 'what is said besides changes nothing')
  for (const read of call.unread) read()
  await clock.advance(60_000)
  assert.is(line.stuckMs, 0, 'nothing is to be read')
  line.say(cancel)
  assert.is(line.stuckMs, 0)
})

Line('to a stream that has ended nothing is said', async () => {
  const { call, line } = lineTo(true)
  line.say(cancel)
  call.writableEnded = true
  await turn()
  assert.equal(call.kinds, [])
})

Line.run()
