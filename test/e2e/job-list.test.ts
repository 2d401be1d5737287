import { isDeepStrictEqual } from 'node:util'
import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Network, startNetwork } from '../network/network.ts'
import { pause, until } from '../until.ts'
import { ask, type Call, getJob, LONE_MODEL, MODEL } from './calls.ts'
import { type Customer, firstCustomer, newCustomer, send } from './customer.ts'
import type { Job } from './public-shapes.ts'
import { killAndWait, untilReplaced, untilServed } from './until.ts'

/** GET /v1/jobs on a real network, before and after its copy was lost. */
const List = suite('job list')
const WHOLE_AGAIN_MS = 120_000
const FINAL: ReadonlySet<string> = new Set(['settled', 'failed', 'refunded'])

let network: Network
let owner: Customer
List.before(async () => {
  network = await startNetwork({
    flags: ['--actors', '2'],
    env: { WORKER_SAMPLE_TOKENS: '20', WORKER_SAMPLE_TOKEN_MS: '5', WORKER_SLOTS: '32' },
  })
  owner = firstCustomer(network)
  await untilServed(network, MODEL, 2)
})
List.after(async () => network?.stop())

interface Page {
  readonly data: readonly Job[]
  readonly has_more: boolean
  readonly next_cursor: string | null
}

async function page(query = '', customer = owner): Promise<Page> {
  const answer = await send(customer, `/jobs${query}`)
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
  return JSON.parse(answer.text)
}

/** All of a list, page by page. */
async function all(query = '', customer = owner): Promise<Job[]> {
  const found: Job[] = []
  for (let cursor = ''; ; ) {
    const { data, next_cursor } = await page(`?limit=7${query}${cursor}`, customer)
    found.push(...data)
    if (next_cursor === null) return found
    cursor = `&before=${next_cursor}`
  }
}

const idsOf = (jobs: readonly Job[]) => jobs.map(({ id }) => id)

/** Every job that was ever answered, or that its caller heard of and that began. */
const made = new Set<string>()
async function chat(options: Parameters<typeof ask>[1] = {}): Promise<Call> {
  const call = await ask(network, options)
  if (call.type === 'whole' || call.type === 'torn') made.add(call.jobId)
  // A job that nobody answered for when it should have begun has a name, and may never have been.
  if (call.type === 'refused' && call.jobId && (await exists(call.jobId))) made.add(call.jobId)
  return call
}

const exists = (id: string): Promise<boolean> =>
  until(
    `a word on ${id}`,
    async () => {
      const { status } = await send(owner, `/jobs/${id}`)
      return status === 200 ? { found: true } : status === 404 && { found: false }
    },
    WHOLE_AGAIN_MS,
  ).then(({ found }) => found)
const load = (count: number): Promise<Call>[] =>
  Array.from({ length: count }, (_, i) => chat({ stream: i % 2 === 0 }))

/** What keeps a list from being whole: jobs that are not in it, or have not come to their end. */
function whatLacks(jobs: readonly Job[]): string {
  const ids = new Set(idsOf(jobs))
  const missing = [...made].filter((id) => !ids.has(id))
  const running = jobs.flatMap(({ id, status }) => (FINAL.has(status) ? [] : [`${id} ${status}`]))
  return [...missing, ...running].join(', ')
}

/** The list once it is whole: each job that was ever made, as the job itself tells it. */
async function wholeAgain(): Promise<void> {
  const began = performance.now()
  let lacks = ''
  await until(
    'a whole list',
    async () => {
      lacks = await all().then(whatLacks, String)
      return lacks === ''
    },
    WHOLE_AGAIN_MS,
  ).catch((error: Error) => {
    throw new Error(`${error.message}; it lacks ${lacks}`)
  })
  process.stdout.write(`  whole after ${Math.round(performance.now() - began)} ms\n`)
  const jobs = await all()
  const ids = new Set(idsOf(jobs))
  // A caller that was refused may never have heard of the job that was made for it.
  for (const id of made) assert.ok(ids.has(id), `${id} is not in the list`)
  assert.equal(idsOf(jobs), [...ids].sort().reverse())
  // A job may have ended, and hear of its refund's block only now.
  let other = ''
  await until(
    'every job to be listed as it is',
    async () => {
      other = await listedOtherwise().catch(String)
      return other === ''
    },
    WHOLE_AGAIN_MS,
  ).catch((error: Error) => {
    throw new Error(`${error.message}; ${other} is listed otherwise`)
  })
}

/** A job that the list shows otherwise than it is; none: an empty text. */
async function listedOtherwise(): Promise<string> {
  const listed = await all()
  const shown = await Promise.all(listed.map(({ id }) => getJob(network, id)))
  return listed.find((job, i) => !isDeepStrictEqual(job, shown[i]))?.id ?? ''
}

List('a job is in the list when its answer is there, and no older than it was shown', async () => {
  for (let i = 0; i < 10; i++) {
    const call = await chat({ stream: i % 2 === 0, model: i % 5 ? MODEL : LONE_MODEL })
    assert.is(call.type, 'whole')
    const [newest] = (await page('?limit=1')).data
    assert.is(newest?.id, call.type === 'whole' && call.jobId)
    // Each look at the job is at once followed by one at the list.
    await until('settled', async () => {
      const shown = await getJob(network, newest!.id)
      const [listed] = (await page('?limit=1')).data
      const order = ['pending', 'processing', 'settling', 'settled']
      assert.ok(order.indexOf(listed!.status) >= order.indexOf(shown.status))
      return shown.status === 'settled'
    })
  }
  await wholeAgain()
})

List('filters and cursors', async () => {
  const jobs = await all()
  for (const model of [MODEL, LONE_MODEL]) {
    const theirs = jobs.filter((job) => job.model === model)
    assert.ok(theirs.length > 0)
    assert.equal(idsOf(await all(`&model=${encodeURIComponent(model)}`)), idsOf(theirs))
  }
  assert.equal(idsOf(await all('&status=settled')), idsOf(jobs))
  assert.equal(await all('&status=refunded'), [])
  const [newest, second, third] = idsOf(jobs)
  assert.equal(idsOf((await page(`?after=${third}`)).data), [newest, second])
  assert.equal(idsOf((await page(`?before=${newest}&after=${third}`)).data), [second])
})

List('another wallet sees none of it, and cannot use its jobs as cursors', async () => {
  const stranger = await newCustomer(network)
  assert.equal(await all('', stranger), [])
  const [job] = await all()
  assert.is((await send(stranger, `/jobs?before=${job?.id}`)).status, 400)
  assert.is((await send(stranger, `/jobs/${job?.id}`)).status, 404)
})

List('Redis forgets everything under load, twice: the list comes back whole', async () => {
  const redis = new Redis(network.redis_url)
  const running = load(20)
  for (let flush = 0; flush < 2; flush++) {
    await pause(150)
    await redis.flushall()
    const answer = await send(owner, '/jobs')
    assert.ok([200, 503].includes(answer.status), answer.text)
    if (answer.status === 503) assert.ok(answer.headers['retry-after'])
  }
  redis.disconnect()
  await Promise.all([...running, ...load(10)])
  await wholeAgain()
})

List('Redis is killed under load', async () => {
  const running = load(20)
  await pause(150)
  const killed = network.kill('redis')
  await Promise.all([...running, ...load(10)])
  await untilReplaced(network, 'redis', killed, 1)
  await wholeAgain()
})

List('hosts are killed under load, one after the other', async () => {
  const running = load(20)
  for (const index of [0, 1]) {
    await pause(150)
    await killAndWait(network, 'actors', index)
  }
  await Promise.all([...running, ...load(10)])
  await wholeAgain()
})

List('a host is killed, and then Redis forgets: what rested is not lost', async () => {
  await Promise.all(load(10))
  network.kill('actors')
  const redis = new Redis(network.redis_url)
  await redis.flushall()
  redis.disconnect()
  await wholeAgain()
})

List.run()
