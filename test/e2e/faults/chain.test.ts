import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Network, startNetwork } from '../../network/network.ts'
import { pause, until } from '../../until.ts'
import { audit, lockedJobs } from '../books.ts'
import { ask, type Call, getJob, MODEL, type Refused } from '../calls.ts'
import { untilServed } from '../until.ts'
import { allAgree, tally, told, untilLocked, whole } from '../verdicts.ts'

/** The chain is away for longer than anybody should wait. */
const Chain = suite('faults of the chain')
const DOWN_MS = 60_000
/** By then an edge knows that the outage is no hiccup. */
const NOTICED_MS = 45_000
/** Of a refusal that reserves nothing and waits for nobody; one that waits takes ten seconds. */
const AT_ONCE_MS = 5_000
const WORKS_AGAIN_MS = 60_000
const BOOKS_MS = 120_000
const JOBS = 20

let network: Network
Chain.before(async () => {
  network = await startNetwork({
    env: { WORKER_SAMPLE_TOKENS: '80', WORKER_SAMPLE_TOKEN_MS: '50', WORKER_SLOTS: '32' },
  })
  await untilServed(network, MODEL, 2)
})
Chain.after(() => network?.stop())

Chain(
  'a minute without the chain: refused at once, nothing lost, works again at once',
  async () => {
    whole(await ask(network))
    const before = await lockedJobs(network)
    const running = load()
    await untilAtWork(before)
    const halted = network.kill('chain', 'SIGSTOP')
    const haltedAt = performance.now()
    try {
      // Taken on before anybody could know: their locks wait.
      const waiting = load()
      const begun = await Promise.all(running)
      note('under way when it went', begun)
      for (const call of begun) whole(call)

      const first = await until(
        'a refusal',
        async () => {
          const call = await ask(network, { deadlineMs: 1_500 })
          return call.type === 'refused' ? call : undefined
        },
        NOTICED_MS,
      )
      process.stdout.write(`  refused after ${Math.round(performance.now() - haltedAt)} ms\n`)
      assertChainRefusal(first)
      const creditsBefore = await credits()
      while (performance.now() - haltedAt < DOWN_MS) {
        const calls = await Promise.all(load())
        for (const call of calls) assertChainRefusal(call)
        await pause(5_000)
      }
      assert.is(await credits(), creditsBefore, 'not a credit was set aside')

      process.kill(halted, 'SIGCONT')
      const backAt = performance.now()
      await until('an answer', async () => (await ask(network)).type === 'whole', WORKS_AGAIN_MS)
      process.stdout.write(`  works again after ${Math.round(performance.now() - backAt)} ms\n`)
      const late = await Promise.all(waiting)
      note('whose locks waited', late)
      for (const call of late) assert.is.not(call.type, 'torn', told(call))
      const after = await Promise.all(load())
      note('begun after', after)
      for (const call of after) whole(call)
      const { jobs } = await audit(network, BOOKS_MS)
      await allAgree(network, [...begun, ...late, ...after], jobs)
    } finally {
      process.kill(halted, 'SIGCONT')
    }
  },
)

function assertChainRefusal(call: Call): asserts call is Refused {
  assert.is(call.type, 'refused', told(call))
  const { status, error, tookMs, headers } = call as Refused
  assert.is(status, 503)
  assert.is(error.code, 'service_unavailable')
  assert.match(error.message, /settlement chain/)
  assert.ok(Number(headers.get('retry-after')) >= 1)
  assert.ok(tookMs < AT_ONCE_MS, told(call))
}

/** All of them are locked, and with a worker that has taken them. */
async function untilAtWork(before: Parameters<typeof untilLocked>[1]): Promise<void> {
  const ids = await untilLocked(network, before, JOBS)
  await until('all jobs to have a worker', async () => {
    const jobs = await Promise.all(ids.map((id) => getJob(network, id)))
    return jobs.every(({ status }) => status !== 'pending')
  })
}

async function credits(): Promise<number> {
  const answer = await fetch(`${network.base_urls[0]}/account`, {
    headers: { authorization: `Bearer ${network.api_key}` },
    signal: AbortSignal.timeout(10_000),
  })
  return ((await answer.json()) as { credits_remaining: number }).credits_remaining
}

const load = (): Promise<Call>[] =>
  Array.from({ length: JOBS }, (_, i) =>
    ask(network, { stream: i % 2 === 0, deadlineMs: 2 * DOWN_MS }),
  )

const note = (what: string, calls: readonly Call[]): void => {
  process.stdout.write(`  ${what}: ${tally(calls)}\n`)
}

Chain.run()
