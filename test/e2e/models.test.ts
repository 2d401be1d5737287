import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { median } from '../../src/domain/median.ts'
import { layOutPorts } from '../../src/network/ports.ts'
import { poolUrl } from '../../src/network/processes/roles.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { bodyOf, type Customer, chat, firstCustomer, send } from './customer.ts'
import { type OwnWorker, startWorker } from './own-worker.ts'

/** The list of models follows the workers: who comes, who leaves, and how fast they are. */
const Models = suite('models')

/** Nobody but the workers of this test serves these. */
const MODEL = 'Qwen/Qwen3-14B'
const OTHER = 'google/gemma-3-27b-it'
/** Long, because the machine may be busy; how long it takes really is in the decisions. */
const COMES_MS = 60_000
const LEAVES_MS = 60_000

let network: Network
let customer: Customer
let pools: readonly string[]
const workers: OwnWorker[] = []

Models.before(async () => {
  network = await startNetwork({ flags: ['--pools', '2', '--workers', '0'] })
  customer = firstCustomer(network)
  const counts = { edges: 1, actors: 1, pools: 2, workers: 0 }
  pools = layOutPorts(network.portBase, counts).pools.map(poolUrl)
})
Models.after.each(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.end()))
})
Models.after(async () => {
  await network?.stop()
})

interface Listed {
  readonly id: string
  readonly svc: { readonly active_workers: number; readonly median_latency_ms: number }
}

const listed = async (): Promise<readonly Listed[]> =>
  bodyOf<{ data: Listed[] }>(await send(customer, '/models')).data
const find = async (id: string) => (await listed()).find((model) => model.id === id)
const isServedBy = (id: string, count: number, withinMs: number) =>
  until(
    `${id} by ${count}`,
    async () => ((await find(id))?.svc.active_workers ?? 0) === count,
    withinMs,
  )

function join(pool: number, models: readonly string[], settings: Record<string, string> = {}) {
  const worker = startWorker(pools[pool]!, models, settings)
  workers.push(worker)
  return worker
}

async function isGone(id: string): Promise<void> {
  assert.is(await find(id), undefined)
  const one = await send(customer, `/models/${id}`)
  assert.is(one.status, 404)
  assert.is(JSON.parse(one.text).error.code, 'model_not_found')
  const asked = await chat(customer, { model: id, messages: [{ role: 'user', content: 'Hi' }] })
  assert.is(asked.status, 503)
  assert.is(JSON.parse(asked.text).error.code, 'no_workers_available')
}

Models('nobody serves anything: an empty list', async () => {
  assert.equal(bodyOf(await send(customer, '/models')), { object: 'list', data: [] })
  await isGone(MODEL)
})

const ENDS = { SIGTERM: 'in order', SIGKILL: 'killed', SIGSTOP: 'frozen' } as const
for (const [signal, how] of Object.entries(ENDS)) {
  Models(`a worker comes, and leaves ${how}: the list has the model, and forgets it`, async () => {
    const worker = join(0, [MODEL])
    await isServedBy(MODEL, 1, COMES_MS)
    const model = bodyOf<Listed>(await send(customer, `/models/${MODEL}`))
    assert.equal(model, await find(MODEL))
    assert.is(model.svc.median_latency_ms, 0, 'nothing was measured yet')
    worker.signal(signal as NodeJS.Signals)
    await isServedBy(MODEL, 0, LEAVES_MS)
    await isGone(MODEL)
  })
}

Models('one of two workers leaves: the other one is counted', async () => {
  const first = join(0, [MODEL, OTHER])
  join(1, [MODEL])
  await isServedBy(MODEL, 2, COMES_MS)
  await isServedBy(OTHER, 1, COMES_MS)
  first.signal('SIGTERM')
  await isServedBy(MODEL, 1, LEAVES_MS)
  await isServedBy(OTHER, 0, LEAVES_MS)
})

Models('a pool dies without a word: its workers’ models go, and come with it again', async () => {
  const worker = join(1, [OTHER])
  await isServedBy(OTHER, 1, COMES_MS)
  // Or it might be connected anew before the edge has noticed.
  worker.signal('SIGSTOP')
  network.kill('pool', 'SIGKILL', 1)
  await isServedBy(OTHER, 0, LEAVES_MS)
  worker.signal('SIGCONT')
  await isServedBy(OTHER, 1, COMES_MS)
})

Models('the latency is the median over the workers of all pools', async () => {
  // The sample engine says its first token after the time of one; each worker does one job at a time.
  const pace = (ms: number) => ({
    WORKER_SLOTS: '1',
    WORKER_SAMPLE_TOKENS: '3',
    WORKER_SAMPLE_TOKEN_MS: String(ms),
  })
  const paces = new Map([
    [join(0, [MODEL], pace(50)).address, 50],
    [join(0, [MODEL], pace(4_000)).address, 4_000],
    [join(1, [MODEL], pace(500)).address, 500],
  ])
  await isServedBy(MODEL, 3, COMES_MS)
  const seen = new Set<string>()
  for (let round = 0; seen.size < 3 && round < 20; round++) {
    const answers = await Promise.all(
      Array.from({ length: 3 }, () =>
        chat(customer, { model: MODEL, messages: [{ role: 'user', content: 'Hi' }] }),
      ),
    )
    for (const answer of answers) {
      assert.is(answer.status, 200, answer.text)
      seen.add(String(answer.headers['x-svc-worker']))
    }
  }
  assert.equal([...seen].sort(), [...paces.keys()].sort(), 'every worker had a job')
  const middle = median([...paces.values()])!
  const latency = await until('the summaries that follow', async () => {
    const ms = (await find(MODEL))?.svc.median_latency_ms ?? 0
    return ms >= middle && ms
  })
  assert.ok(Number.isInteger(latency))
  assert.ok(latency < 3_000, `${latency} ms is not near ${middle}, but near the slowest`)
})

Models('IDs hold slashes, as they are or encoded; what is no ID is 404', async () => {
  join(0, [MODEL])
  await isServedBy(MODEL, 1, COMES_MS)
  for (const id of [MODEL, encodeURIComponent(MODEL), 'Qwen%2fQwen3-14B', '%51wen/Qwen3-14B']) {
    assert.is(bodyOf<Listed>(await send(customer, `/models/${id}`)).id, MODEL)
  }
  const wrong = [
    ...['', 'Qwen', 'Qwen/', `${MODEL}/`, `/${MODEL}`, MODEL.toLowerCase(), `${MODEL}%20`],
    ...['Qwen%252FQwen3-14B', 'x'.repeat(10_000), '__proto__', 'constructor'],
  ]
  for (const id of wrong) {
    const answer = await send(customer, `/models/${id}`)
    const { error } = JSON.parse(answer.text)
    assert.equal(
      [answer.status, error.code, error.type],
      [404, 'model_not_found', 'not_found_error'],
    )
    assert.ok(error.message.length < 300)
  }
})

Models.run()
