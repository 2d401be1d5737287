import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Upstream } from '../fakes/pool/upstream.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { listed } from './behind-upstream.ts'
import { type Customer, chat, firstCustomer } from './customer.ts'
import { type OwnWorker, startWorker } from './own-worker.ts'
import { killAndWait, untilServed } from './until.ts'
import { refuses, says } from './upstream-replies.ts'

/** A worker joins a whole network with an upstream that is out of order, and mends it later. */
const Canary = suite('canary jobs of a network')

const MODEL = 'Qwen/Qwen3-8B'
const WAIT_MS = 60_000

let network: Network
let customer: Customer
let upstream: Upstream
let worker: OwnWorker

Canary.before(async () => {
  network = await startNetwork({ flags: ['--workers', '1'], env: { WORKER_SAMPLE_TOKENS: '20' } })
  customer = firstCustomer(network)
  upstream = await new Upstream([MODEL]).open()
  upstream.answer = refuses(500, { message: 'out of memory' })
  const engine = { WORKER_ENGINE: 'openai', UPSTREAM_URL: upstream.url, WORKER_SLOTS: '8' }
  worker = startWorker(network.pool_url, [MODEL], engine)
})
Canary.after(async () => {
  await worker?.end()
  await network?.stop()
  await upstream?.close()
})

const workers = async () => (await listed(customer)).find(({ id }) => id === MODEL)?.svc
const answers = async (): Promise<readonly string[]> => {
  const ask = { model: MODEL, max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] }
  const each = await Promise.all(Array.from({ length: 4 }, () => chat(customer, ask)))
  for (const { status, text } of each) assert.is(status, 200, text)
  return each.map(({ headers }) => String(headers['x-svc-worker']))
}

Canary('while its upstream fails it is tried, and no caller meets it', async () => {
  await until('a second try', () => upstream.requests.length >= 2, WAIT_MS)
  assert.is((await workers())?.active_workers, 1)
  assert.not((await answers()).includes(worker.address))
})

Canary('once its upstream is right it serves', async () => {
  upstream.answer = says('Hello', ', ', 'world')
  await untilServed(network, MODEL, 2, WAIT_MS)
  await until('a job of its own', async () => (await answers()).includes(worker.address), WAIT_MS)
})

Canary('a pool that was killed knows what it has shown', async () => {
  const before = upstream.requests.length
  await killAndWait(network, 'pool')
  await untilServed(network, MODEL, 2, WAIT_MS)
  assert.is(upstream.requests.length, before, 'it was not tried again')
})

Canary.run()
