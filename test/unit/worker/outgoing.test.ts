import { EventEmitter } from 'node:events'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ConnectRequest } from '../../../proto/gen/svc/worker/v1/worker.ts'
import {
  type AnswerStream,
  Outgoing,
  type PoolCall,
  type ToPool,
} from '../../../src/worker/outgoing.ts'

const Out = suite('worker: what leaves for a pool')

/** A stream that notes what is written. */
class Call extends EventEmitter {
  readonly written: NonNullable<ConnectRequest['message']>[] = []
  destroyed = false
  writableEnded = false
  takes = true

  write({ message }: ConnectRequest): boolean {
    if (message) this.written.push(message)
    return this.takes
  }
  kinds(): string[] {
    return this.written.map(({ $case }) => $case)
  }
  /** Number and text of each chunk. */
  chunks(): (readonly [number, string])[] {
    return this.written.flatMap((message) =>
      message.$case === 'chunks'
        ? message.value.chunks.map(({ seq, text }) => [seq, text] as const)
        : [],
    )
  }
}

const attached = (outgoing: Outgoing, batches = false): Call => {
  const call = new Call()
  outgoing.attach(call as unknown as PoolCall, batches)
  return call
}
const answer = (): AnswerStream => ({ jobId: 'job', texts: [] })
const accept: ToPool = { $case: 'accept', value: { jobId: 'job' } }
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

Out('text of one turn is one chunk; the next turn is the next', async () => {
  const outgoing = new Outgoing()
  const call = attached(outgoing)
  const stream = answer()
  outgoing.text(stream, 'a')
  outgoing.text(stream, 'b')
  await turn()
  outgoing.text(stream, 'c')
  await turn()
  assert.equal(call.chunks(), [
    [0, 'ab'],
    [1, 'c'],
  ])
})

Out('what is said while there is no stream is kept, and sent again word for word', async () => {
  const outgoing = new Outgoing()
  const stream = answer()
  const first = attached(outgoing)
  outgoing.text(stream, 'a')
  await turn()
  outgoing.text(stream, 'b')
  outgoing.detach()
  await turn()
  outgoing.text(stream, 'c')
  await turn()
  assert.equal(first.chunks(), [[0, 'a']])
  const second = attached(outgoing)
  outgoing.again(stream, 1)
  outgoing.text(stream, 'd')
  await turn()
  assert.equal(second.chunks(), [
    [1, 'b'],
    [2, 'c'],
    [3, 'd'],
  ])
})

Out('a chunk that was still growing when a stream took over does not change any more', async () => {
  const outgoing = new Outgoing()
  const stream = answer()
  outgoing.text(stream, 'a')
  const call = attached(outgoing)
  outgoing.again(stream, 0)
  outgoing.text(stream, 'b')
  await turn()
  assert.equal(call.chunks(), [
    [0, 'a'],
    [1, 'b'],
  ])
})

Out('a long answer is sent again in several messages', () => {
  const outgoing = new Outgoing()
  const call = attached(outgoing)
  const texts = Array.from({ length: 5 }, (_, i) => String(i).repeat(600_000))
  outgoing.again({ jobId: 'job', texts }, 1)
  assert.is(call.written.length, 4)
  assert.equal(call.chunks(), texts.map((text, seq) => [seq, text] as const).slice(1))
})

Out(
  'much text of one turn goes in several messages, whether the pool reads batches or not',
  async () => {
    for (const batches of [true, false]) {
      const outgoing = new Outgoing()
      const call = attached(outgoing, batches)
      // More than a pool takes in one message.
      for (let i = 0; i < 40; i++) outgoing.text(answer(), 'x'.repeat(500_000))
      await turn()
      assert.is(call.chunks().length, 40)
      assert.is(call.written.length, 20)
    }
  },
)

Out('one that takes no more is waited for; one that is gone is not', async () => {
  const outgoing = new Outgoing()
  const call = attached(outgoing)
  call.takes = false
  outgoing.send({ $case: 'accept', value: { jobId: 'job' } })
  let isReady = false
  const ready = outgoing.ready().then(() => {
    isReady = true
  })
  await turn()
  assert.not(isReady)
  call.emit('status')
  await ready
  outgoing.detach()
  await outgoing.ready()
})

Out(
  'it goes on once the connection takes more, and waits anew where it is full again',
  async () => {
    const outgoing = new Outgoing()
    const call = attached(outgoing)
    const listening = () => call.listenerCount('drain') + call.listenerCount('status')
    for (let time = 0; time < 3; time++) {
      call.takes = false
      outgoing.send(accept)
      outgoing.send(accept)
      let isReady = false
      const ready = outgoing.ready().then(() => {
        isReady = true
      })
      await turn()
      assert.not(isReady)
      call.takes = true
      call.emit('drain')
      await ready
      await outgoing.ready()
      assert.is(listening(), 0)
    }
    assert.is(call.written.length, 6)
  },
)

Out('over a new connection nobody waits for the one before', async () => {
  const outgoing = new Outgoing()
  const first = attached(outgoing)
  first.takes = false
  outgoing.send(accept)
  attached(outgoing)
  await outgoing.ready()
  first.emit('status')
})

Out('to a pool that reads batches, what one turn says is one message in its order', async () => {
  const outgoing = new Outgoing()
  const call = attached(outgoing, true)
  const stream = answer()
  outgoing.send(accept)
  outgoing.text(stream, 'a')
  outgoing.send(accept)
  outgoing.text(stream, 'b')
  assert.equal(call.kinds(), [])
  await turn()
  assert.equal(call.kinds(), ['batch'])
  const [batch] = call.written
  const said = batch?.$case === 'batch' ? batch.value.messages : []
  assert.equal(
    said.map(({ message }) => message?.$case),
    ['accept', 'chunks', 'accept', 'chunks'],
  )
})

Out('one message alone is no batch', async () => {
  const outgoing = new Outgoing()
  const call = attached(outgoing, true)
  outgoing.send(accept)
  await turn()
  outgoing.text(answer(), 'a')
  await turn()
  assert.equal(call.kinds(), ['accept', 'chunks'])
})

Out('before a stream is ended, what this turn has said leaves', () => {
  const outgoing = new Outgoing()
  const call = attached(outgoing, true)
  outgoing.send(accept)
  outgoing.flush()
  assert.equal(call.kinds(), ['accept'])
})

Out('what was said for one stream does not leave over the next', async () => {
  const outgoing = new Outgoing()
  const first = attached(outgoing, true)
  outgoing.send(accept)
  outgoing.detach()
  const second = attached(outgoing, true)
  await turn()
  assert.equal([...first.kinds(), ...second.kinds()], [])
})

Out.run()
