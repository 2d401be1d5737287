import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Network, startNetwork } from '../../network/network.ts'
import { audit } from '../books.ts'
import {
  type Answer,
  bodyOf,
  type Customer,
  chat,
  firstCustomer,
  jobSettles,
  send,
} from '../customer.ts'
import { chatBody, damagedJson, encodedBody, goodBody } from './fuzz-bodies.ts'
import {
  anyPath,
  type Case,
  dispute,
  listQuery,
  oddHeaders,
  rawBytes,
  singleThing,
  webhook,
} from './fuzz-requests.ts'
import { exchangeBytes, Verdicts } from './fuzz-verdict.ts'

/**
 * No input gives a 500, a hang or a lost credit. The cases of a run follow from its seed:
 * FUZZ_SEED and FUZZ_CASES make other and longer runs.
 */
const Fuzz = suite('conformance: fuzz')

const SEED = Number(process.env.FUZZ_SEED ?? 20_260_601)
const CASES = Number(process.env.FUZZ_CASES ?? 3_000)
/** Properties of their own, side by side: an edge never serves one caller alone. */
const LANES = 4
const BOOKS_MS = 120_000
const CHAT = '/chat/completions'
const LITE = {
  model: 'Qwen/Qwen3-1.7B',
  messages: [{ role: 'user', content: 'Hello' }],
  max_tokens: 3,
}

let network: Network
let customer: Customer
let verdicts: Verdicts
/** Jobs to ask about. */
const ids: string[] = []
let pidsAtStart: string

Fuzz.before(async () => {
  network = await startNetwork({
    env: { WORKER_SAMPLE_TOKENS: '12', WORKER_SAMPLE_TOKEN_MS: '0', WORKER_SLOTS: '32' },
  })
  customer = firstCustomer(network)
  verdicts = new Verdicts(customer, network.docs_url)
  for (let i = 0; i < 5; i++) {
    const { id } = bodyOf<{ id: string }>(await chat(customer, LITE))
    ids.push(id.replace('chatcmpl-', ''))
    verdicts.jobIds.add(ids[i]!)
  }
  for (const id of ids) await jobSettles(customer, id)
  pidsAtStart = pids()
})

Fuzz.after(async () => {
  await network?.stop()
})

/** A share of all cases, of requests that `arbitrary` makes. */
function property<T>(
  what: string,
  share: number,
  arbitrary: () => fc.Arbitrary<T>,
  check: (value: T) => Promise<unknown>,
): void {
  Fuzz(what, async () => {
    const numRuns = Math.max(1, Math.round((CASES * share) / LANES))
    const ends = await Promise.all(
      Array.from({ length: LANES }, (_, lane) =>
        fc.check(
          fc.asyncProperty(arbitrary(), (value) => check(value).then(() => undefined)),
          {
            numRuns,
            seed: SEED + lane,
            // Asked for, the smallest case that fails is looked for: it takes a while.
            endOnFailure: process.env.FUZZ_SHRINK === undefined,
          },
        ),
      ),
    )
    const flaws = ends.flatMap((end) => (end.failed ? [flawOf(end)] : []))
    if (flaws.length > 0) throw new Error(flaws.join('\n'))
  })
}

const SHOWN_CHARACTERS = 1_500

function flawOf<T>({ seed, counterexample, errorInstance, numRuns }: fc.RunDetails<[T]>): string {
  const shown = (what: unknown) => String(what).slice(0, SHOWN_CHARACTERS)
  const why = errorInstance instanceof Error ? errorInstance.stack : errorInstance
  return `seed ${seed}, case ${numRuns}: ${shown(fc.stringify(counterexample?.[0]))}\n${shown(why)}`
}

const sent = async ({ path, ...request }: Case): Promise<Answer> => {
  const answer = await send(customer, path, request)
  verdicts.check(request, answer)
  return answer
}

const post = (body: unknown): Case => ({
  method: 'POST',
  path: CHAT,
  headers: { 'content-type': 'application/json' },
  body,
})

property(
  'bodies that are right are answered',
  0.1,
  () => goodBody,
  async (body) => assert.is((await sent(post(body))).status, 200),
)
property(
  'bodies that are nearly right',
  0.25,
  () => chatBody,
  (body) => sent(post(body)),
)
property(
  'JSON that was damaged',
  0.15,
  () => damagedJson,
  (body) => sent(post(body)),
)
property(
  'bytes under any content type',
  0.1,
  () => encodedBody,
  ({ body, type, encoding, isChunked }) =>
    sent({
      ...post(body),
      headers: {
        ...(type === undefined ? {} : { 'content-type': type }),
        ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
        ...(isChunked ? { 'transfer-encoding': 'chunked' } : {}),
      },
    }),
)
property('queries of the job list', 0.1, () => listQuery(ids), sent)
property('ids of jobs and models', 0.08, () => singleThing(ids), sent)
property('paths and methods', 0.05, () => anyPath, sent)
property('bodies of disputes', 0.05, () => dispute(ids), sent)
property(
  'webhooks',
  0.05,
  () => webhook,
  async (request) => {
    const answer = await sent(request)
    if (answer.status !== 201) return
    const { id } = JSON.parse(answer.text)
    const gone = await sent({ method: 'DELETE', path: `/webhooks/${id}` })
    assert.is(gone.status, 200)
  },
)
property('headers', 0.07, () => oddHeaders(customer.apiKey), sent)
property(
  'bytes on a socket',
  0.05,
  () => rawBytes,
  async (bytes) => verdicts.checkRaw(await exchangeBytes(customer.baseUrl, bytes)),
)

Fuzz('after all of that no process was lost, and the next request is answered', async () => {
  assert.is(pids(), pidsAtStart)
  bodyOf(
    await chat(customer, LITE).then((answer) => {
      verdicts.check({}, answer)
      return answer
    }),
  )
})

Fuzz('the books balance: locked = charged + returned, and nothing stays locked', async () => {
  const { jobs } = await audit(network, BOOKS_MS)
  const unseen = [...jobs.keys()].filter((id) => !verdicts.jobIds.has(id))
  assert.equal(unseen, [], 'a lock that no caller was told of')
  const { cases } = verdicts
  process.stdout.write(`\n${cases} cases, seed ${SEED}, ${jobs.size} jobs: ${verdicts.tally()}\n`)
})

const pids = (): string =>
  network
    .read()
    .processes.map(({ name, pid }) => `${name} ${pid}`)
    .join(', ')

Fuzz.run()
