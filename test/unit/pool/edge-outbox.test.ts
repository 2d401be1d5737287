import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encode } from '../../../src/bus/codec.ts'
import { toAddress, toHex32, toJobId } from '../../../src/domain/ids.ts'
import type { Chunk } from '../../../src/messages/edge.ts'
import { EdgeOutbox, type EdgeStream } from '../../../src/pool/attempt/edge-outbox.ts'
import { TurnBus } from '../../fakes/pool/turn-bus.ts'

const Outbox = suite('edge outbox')
const head = { worker: toAddress(`0x${'22'.repeat(20)}`), escrowTx: toHex32(`0x${'4'.repeat(64)}`) }
const streamOf = (n: number, replyTo: string): EdgeStream => ({
  replyTo,
  jobId: toJobId(`job_${String(n).padStart(26, '0')}`),
  attempt: 1,
  head,
  chunks: 0,
})
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** What was published, as subject and lines of job, seq and text. */
const seen = (bus: TurnBus) =>
  bus.published
    .splice(0)
    .map(({ subject, message }) => [
      subject,
      ...(message as Chunk[]).map(
        ({ jobId, seq, text }) => `${Number(jobId.slice(4))} ${seq} ${text}`,
      ),
    ])

Outbox('one turn is one message an edge and one chunk a job', async () => {
  const bus = new TurnBus()
  const outbox = new EdgeOutbox(bus)
  const [a, b, c] = [streamOf(1, 'edge.x'), streamOf(2, 'edge.x'), streamOf(3, 'edge.y')]
  outbox.add(a, 'a')
  outbox.add(b, 'b')
  outbox.add(a, 'A')
  outbox.add(c, 'c')
  await turn()
  assert.equal(seen(bus), [
    ['edge.x', '1 0 aA', '2 0 b'],
    ['edge.y', '3 0 c'],
  ])
  outbox.add(a, 'more')
  outbox.flush()
  assert.equal(seen(bus), [['edge.x', '1 1 more']])
  await turn()
  assert.equal(seen(bus), [])
})

Outbox('the head is on chunk 0 alone', () => {
  const bus = new TurnBus()
  const outbox = new EdgeOutbox(bus)
  const stream = streamOf(1, 'edge.x')
  for (const text of ['a', 'b']) {
    outbox.add(stream, text)
    outbox.flush()
  }
  const [first, second] = bus.published.flatMap(({ message }) => message as Chunk[])
  assert.equal(first?.head, head)
  assert.is(second?.head, undefined)
})

Outbox('a long text is cut small enough for the bus, never inside a character', () => {
  const bus = new TurnBus()
  const outbox = new EdgeOutbox(bus)
  const stream = streamOf(1, 'edge.x')
  const text = `x${'😀'.repeat(300_000)}`
  outbox.add(stream, text)
  outbox.flush()
  const chunks = bus.published.flatMap(({ message }) => message as Chunk[])
  assert.is(chunks.map((chunk) => chunk.text).join(''), text)
  assert.equal(
    chunks.map(({ seq }) => seq),
    chunks.map((_, i) => i),
  )
  assert.ok(chunks.every((chunk) => !/\p{Surrogate}/u.test(chunk.text)))
  for (const { message } of bus.published) {
    assert.ok(Buffer.byteLength(JSON.stringify(message)) < 1_000_000)
  }
})

Outbox(
  'what thousands of answers begin with in one turn fits into messages of the bus',
  async () => {
    const bus = new TurnBus()
    const outbox = new EdgeOutbox(bus)
    for (let n = 0; n < 6_000; n++) outbox.add(streamOf(n, 'edge.x'), 'a word')
    await turn()
    const messages = bus.published.map(({ message }) => message as Chunk[])
    assert.is(messages.flat().length, 6_000)
    for (const message of messages) assert.ok(encode(message).length < 1024 * 1024)
  },
)

Outbox.run()
