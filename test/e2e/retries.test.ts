import { Redis } from 'ioredis'
import OpenAI from 'openai'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { audit, lockedJobs } from './books.ts'
import { hashOf, LONE_MODEL, MODEL, untilStatus } from './calls.ts'
import type { JobOnChain } from './chain-ledger.ts'
import { untilServed } from './until.ts'

/** A client that repeats itself, by itself: whatever it meets, one answer is paid once. */
const Retries = suite('retried requests')
const BOOKS_MS = 90_000
/** Answers of two to four seconds. */
const SAMPLE = { WORKER_SAMPLE_TOKENS: '60', WORKER_SAMPLE_TOKEN_MS: '50' }
const messages = [{ role: 'user' as const, content: 'Say something.' }]

let network: Network
Retries.before(async () => {
  network = await startNetwork({
    flags: ['--edges', '2'],
    env: { ...SAMPLE, WORKER_SLOTS: '32' },
  })
  await untilServed(network, MODEL, 2)
})
Retries.after(() => network?.stop())

interface Told {
  /** One a try: to which edge it went, and what came of it. */
  readonly tries: { readonly edge: number; status: number | undefined; retryCount: string | null }[]
  readonly client: OpenAI
}

/** OpenAI's own client. @param edgeOf which edge gets try number n */
function clientOf(options: { timeout?: number; edgeOf?: (tried: number) => number }): Told {
  const tries: Told['tries'] = []
  const { timeout = 30_000, edgeOf = () => 0 } = options
  const client = new OpenAI({
    baseURL: network.base_urls[0]!,
    apiKey: network.api_key,
    maxRetries: 6,
    timeout,
    fetch: async (url, init) => {
      const edge = edgeOf(tries.length)
      const retryCount = new Headers(init?.headers).get('x-stainless-retry-count')
      const entry: Told['tries'][number] = { edge, status: undefined, retryCount }
      tries.push(entry)
      const there = String(url).replace(network.base_urls[0]!, network.base_urls[edge]!)
      const response = await fetch(there, init)
      entry.status = response.status
      return response
    },
  })
  return { tries, client }
}

/** Jobs on chain that are not in `before`, once the books agree. */
async function newJobs(before: ReadonlyMap<string, JobOnChain>): Promise<[string, JobOnChain][]> {
  const { jobs } = await audit(network, BOOKS_MS)
  return [...jobs].filter(([id]) => !before.has(id))
}
async function paidOnce(before: ReadonlyMap<string, JobOnChain>, jobId: string): Promise<void> {
  const jobs = await newJobs(before)
  assert.equal(
    jobs.map(([id, { end }]) => [id, end?.type]),
    [[jobId, 'settled']],
  )
}
const jobOf = (completion: { id: string }): string => completion.id.replace('chatcmpl-', '')

for (const [what, edgeOf] of [
  ['at one edge', () => 0],
  ['at two edges in turn', (tried: number) => tried % 2],
] as const) {
  Retries(
    `a client that loses patience again and again, ${what}: one lock, one charge`,
    async () => {
      const before = await lockedJobs(network)
      const { client, tries } = clientOf({ timeout: 1_000, edgeOf })
      const completion = await client.chat.completions.create({ model: MODEL, messages })
      process.stdout.write(`  ${tries.length} tries: ${JSON.stringify(tries)}\n`)
      assert.ok(tries.length > 1, 'it did lose patience')
      assert.is(completion.choices[0]?.finish_reason, 'stop')
      const job = await untilStatus(network, jobOf(completion), 'settled')
      const text = completion.choices[0]?.message.content ?? ''
      assert.is(hashOf(text), job.on_chain.proof_hash)
      await paidOnce(before, job.id)
    },
  )
}

Retries('the first edge is killed while it waits: the other one answers', async () => {
  const before = await lockedJobs(network)
  const { client, tries } = clientOf({ edgeOf: (tried) => (tried === 0 ? 0 : 1) })
  const asked = client.chat.completions.create({ model: MODEL, messages })
  await until('a lock', async () => (await lockedJobs(network)).size > before.size)
  network.kill('edge', 'SIGKILL', 0)
  const completion = await asked
  process.stdout.write(`  ${JSON.stringify(tries)}\n`)
  assert.equal(
    tries.map(({ edge, status }) => [edge, status]),
    [
      [0, undefined],
      [1, 200],
    ],
  )
  await untilServed(network, MODEL, 2)
  const job = await untilStatus(network, jobOf(completion), 'settled')
  assert.is(hashOf(completion.choices[0]?.message.content ?? ''), job.on_chain.proof_hash)
  await paidOnce(before, job.id)
})

Retries('a try that failed is tried again, as a job of its own', async () => {
  const before = await lockedJobs(network)
  const { client, tries } = clientOf({ edgeOf: (tried) => tried % 2 })
  const asked = client.chat.completions.create({ model: LONE_MODEL, messages })
  await until('the job runs', async () => {
    const ids = [...(await lockedJobs(network)).keys()].filter((id) => !before.has(id))
    return ids[0] && (await untilStatus(network, ids[0], 'processing', 30_000))
  })
  // The only worker of the model; the launcher brings it back.
  network.kill('worker', 'SIGKILL', 1)
  const completion = await asked
  process.stdout.write(`  ${JSON.stringify(tries)}\n`)
  assert.ok(tries.length > 1 && tries[0]!.status! >= 500)
  const jobs = await newJobs(before)
  const settled = jobs.filter(([, { end }]) => end?.type === 'settled')
  assert.equal(
    settled.map(([id]) => id),
    [jobOf(completion)],
  )
  assert.ok(jobs.length > 1)
})

const post = (edge: number, key: string, more: object = {}, signal?: AbortSignal) =>
  fetch(`${network.base_urls[edge]}/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${network.api_key}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify({ model: MODEL, messages, ...more }),
    signal: AbortSignal.any([AbortSignal.timeout(60_000), ...(signal ? [signal] : [])]),
  })
const contentOf = async (response: Response): Promise<string> => {
  const body = (await response.json()) as { choices: [{ message: { content: string } }] }
  return body.choices[0].message.content
}

Retries('twenty requests of one key at once, at both edges: one job, twenty answers', async () => {
  const before = await lockedJobs(network)
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => post(i % 2, 'at-once')))
  assert.equal([...new Set(answers.map(({ status }) => status))], [200])
  const ids = new Set(answers.map(({ headers }) => headers.get('x-svc-job-id')))
  assert.is(ids.size, 1)
  const texts = new Set(await Promise.all(answers.map(contentOf)))
  assert.is(texts.size, 1)
  await paidOnce(before, [...ids][0]!)
})

Retries('a key says what it said before; with another body it is refused', async () => {
  const before = await lockedJobs(network)
  const first = await post(0, 'said-before')
  const again = await post(1, 'said-before')
  assert.is(again.headers.get('x-svc-job-id'), first.headers.get('x-svc-job-id'))
  assert.is(await contentOf(again), await contentOf(first))
  assert.ok(again.headers.get('x-svc-settlement-tx'))
  const other = await post(1, 'said-before', { temperature: 0.3 })
  const { error } = (await other.json()) as { error: { code: string; param: string } }
  assert.equal([other.status, error.code, error.param], [400, 'invalid_request', 'Idempotency-Key'])
  await paidOnce(before, first.headers.get('x-svc-job-id')!)
})

Retries('a stream that broke is had whole at the other edge', async () => {
  const before = await lockedJobs(network)
  const leaving = new AbortController()
  const broken = await post(0, 'broken', { stream: true }, leaving.signal)
  const reader = broken.body!.getReader()
  await reader.read()
  leaving.abort()
  const again = await post(1, 'broken', { stream: true })
  const text = await again.text()
  assert.match(text, /data: \[DONE\]/)
  const id = broken.headers.get('x-svc-job-id')!
  assert.is(again.headers.get('x-svc-job-id'), id)
  const said = [...text.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)]
    .map(([, content]) => JSON.parse(content ?? '""'))
    .join('')
  const job = await untilStatus(network, id, 'settled')
  assert.is(hashOf(said), job.on_chain.proof_hash)
  await paidOnce(before, id)
})

Retries('left before its first token, and nobody comes back: free', async () => {
  const before = await lockedJobs(network)
  const halted = network.kill('worker', 'SIGSTOP', 1)
  try {
    const leaving = new AbortController()
    const asked = post(0, 'left', { model: LONE_MODEL }, leaving.signal).catch(() => undefined)
    await until('a lock', async () => (await lockedJobs(network)).size > before.size)
    leaving.abort()
    await asked
    const jobs = await newJobs(before)
    assert.equal(
      jobs.map(([, { end }]) => end?.type),
      ['refunded'],
    )
  } finally {
    process.kill(halted, 'SIGCONT')
  }
})

Retries(
  'Redis forgets: while it runs it is joined at either edge, once it has answered its lost text is told',
  async () => {
    const redis = new Redis(network.redis_url)
    try {
      const before = await lockedJobs(network)
      const first = post(0, 'forgotten')
      await until('a lock', async () => (await lockedJobs(network)).size > before.size)
      await redis.flushall()
      const asked = [first, post(0, 'forgotten'), post(1, 'forgotten')]
      const told = await Promise.all(asked)
      const id = told[0]!.headers.get('x-svc-job-id')!
      for (const { status, headers } of told) {
        assert.equal([status, headers.get('x-svc-job-id')], [200, id])
      }
      await paidOnce(before, id)
      await redis.flushall()
      for (const edge of [0, 1]) {
        const gone = await post(edge, 'forgotten')
        const { error } = (await gone.json()) as { error: { code: string } }
        assert.equal([gone.status, error.code], [410, 'answer_gone'])
        assert.is(gone.headers.get('x-svc-job-id'), id)
      }
      await paidOnce(before, id)
    } finally {
      redis.disconnect()
    }
  },
)

Retries.run()
