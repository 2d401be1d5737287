import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Relay } from '../fakes/pool/relay.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { pause } from '../until.ts'
import { audit } from './books.ts'
import { ask, hashOf, untilStatus } from './calls.ts'
import { type OwnWorker, startWorker } from './own-worker.ts'
import { untilServed } from './until.ts'
import { told, whole } from './verdicts.ts'

/** A worker whose way to the pool fails in the middle of answers. */
const Resume = suite('a worker’s connection breaks')

/** No worker of the network serves it. */
const MODEL = 'Qwen/Qwen3-14B'
const BOOKS_MS = 90_000
const SERVED_MS = 90_000

let network: Network
let relay: Relay
let worker: OwnWorker

Resume.before(async () => {
  network = await startNetwork({ flags: ['--workers', '1'] })
  relay = await new Relay(new URL(network.pool_url).host).open()
  // Answers of three seconds.
  const pace = { WORKER_SAMPLE_TOKENS: '60', WORKER_SAMPLE_TOKEN_MS: '50' }
  worker = startWorker(`http://${relay.url}`, [MODEL], pace)
  await untilServed(network, MODEL, 1, SERVED_MS)
})
Resume.after(async () => {
  await worker?.end()
  relay?.close()
  await network?.stop()
})

Resume('in the middle of a streamed answer: it comes whole, and is charged once', async () => {
  const { available: before } = await audit(network, BOOKS_MS)
  const dialled = relay.dialled
  const answer = ask(network, {
    model: MODEL,
    stream: true,
    begun: () => void pause(500).then(() => relay.break()),
  })
  const { jobId, text, headers } = whole(await answer)
  assert.is(headers.get('x-svc-worker')?.toLowerCase(), worker.address.toLowerCase())
  assert.ok(relay.dialled > dialled, 'it was cut')
  const job = await untilStatus(network, jobId, 'settled', BOOKS_MS)
  assert.is(job.on_chain.proof_hash, hashOf(text))
  const { jobs, available } = await audit(network, BOOKS_MS)
  const end = jobs.get(jobId)?.end
  assert.is(end?.type, 'settled')
  assert.is(before - available, end?.type === 'settled' ? end.charged : -1n)
})

Resume('for longer than the pool waits: the stream is torn, and all credits are back', async () => {
  const { available: before } = await audit(network, BOOKS_MS)
  const answer = ask(network, {
    model: MODEL,
    stream: true,
    begun: () => void pause(500).then(() => relay.cut()),
  })
  const call = await answer
  assert.is(call.type, 'torn', told(call))
  const { jobs, available } = await audit(network, BOOKS_MS)
  assert.is(call.type === 'torn' && jobs.get(call.jobId)?.end?.type, 'refunded')
  assert.is(available, before)
  relay.mend()
  await untilServed(network, MODEL, 1, SERVED_MS)
  whole(await ask(network, { model: MODEL }))
})

Resume.run()
