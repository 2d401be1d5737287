import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toAddress, toHex32, toJobId } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { Chunk } from '../../../src/messages/edge.ts'
import type { OfferJob } from '../../../src/messages/pool.ts'
import { EdgeAnswer } from '../../../src/pool/attempt/edge-answer.ts'
import { EdgeOutbox } from '../../../src/pool/attempt/edge-outbox.ts'
import { TurnBus } from '../../fakes/pool/turn-bus.ts'

const Answer = suite('edge answer')
const WORKER = toAddress(`0x${'22'.repeat(20)}`)
const job: OfferJob = {
  type: 'OfferJob',
  jobId: toJobId(`job_${'1'.repeat(26)}`),
  attempt: 1,
  wallet: toAddress(`0x${'33'.repeat(20)}`),
  model: 'Qwen/Qwen3-8B',
  outputTokensMax: 100,
  deadlineAt: toUnixMs(1_800_000_000_000),
  replyTo: 'edge.x',
  escrowTx: toHex32(`0x${'4'.repeat(64)}`),
  exclude: [],
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Says each piece in a turn of its own. @returns the chunks that the edge gets, and how many are told of */
async function said(offer: OfferJob, pieces: readonly string[]) {
  const bus = new TurnBus()
  const answer = new EdgeAnswer(offer, new EdgeOutbox(bus))
  answer.begin(WORKER)
  for (const piece of pieces) {
    answer.add(piece)
    await turn()
  }
  answer.end()
  const chunks = bus.published.flatMap(({ message }) => message as Chunk[])
  return { texts: chunks.map(({ text }) => text), chunks: answer.chunks }
}

Answer('what is read as it comes goes as it comes', async () => {
  const { texts, chunks } = await said(job, ['a', 'b', 'c'])
  assert.equal(texts, ['a', 'b', 'c'])
  assert.is(chunks, 3)
})

Answer('what is read at its end goes as a beginning and a rest', async () => {
  const { texts, chunks } = await said({ ...job, assignLate: true }, ['a', 'b', 'c'])
  assert.equal(texts, ['a', 'bc'])
  assert.is(chunks, 2)
})

Answer('a short one is one chunk, and so is an empty one', async () => {
  assert.equal((await said({ ...job, assignLate: true }, ['a'])).texts, ['a'])
  assert.equal((await said({ ...job, assignLate: true }, [])).texts, [''])
  assert.equal((await said(job, [])).texts, [''])
})

Answer.run()
