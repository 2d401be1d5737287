import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Network, startNetwork } from '../../network/network.ts'
import { pause, until } from '../../until.ts'
import { audit } from '../books.ts'
import { ask, type Call, getJob, MODEL, untilStatus } from '../calls.ts'
import { untilReplaced, untilServed } from '../until.ts'
import { allAgree, tally, told, whole } from '../verdicts.ts'

/** The servers that the house stands on: they forget, die, or hang. */
const Servers = suite('faults of servers')
const BOOKS_MS = 120_000
const WORKS_AGAIN_MS = 60_000
const JOBS = 40
/** How old a block must be to be in the chain's file, whatever happens then. */
const CHAIN_SAVED_MS = 6_000

let network: Network
let dataDir: string
Servers.before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-faults-'))
  network = await startNetwork({
    dataDir,
    env: { WORKER_SAMPLE_TOKENS: '40', WORKER_SAMPLE_TOKEN_MS: '25', WORKER_SLOTS: '32' },
  })
  await untilServed(network, MODEL, 2)
})
Servers.after(async () => {
  await network?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

Servers('Redis forgets everything under load', async () => {
  const redis = new Redis(network.redis_url)
  const running = load()
  // Again and again: reservations go, then answers.
  for (let flush = 0; flush < 12; flush++) {
    await pause(40)
    await redis.flushall()
  }
  const calls = [...(await Promise.all(running)), ...(await Promise.all(load()))]
  redis.disconnect()
  note('flushed', calls)
  for (const call of calls) wholeOrUnavailable(call)
  await works()
  await booksAgree(calls)
})

Servers('Redis is killed under load', async () => {
  const calls = await through('redis', 'SIGKILL')
  for (const call of calls) wholeOrUnavailable(call)
  await works()
  await booksAgree(calls)
})

Servers('NATS is killed under load', async () => {
  const calls = await through('nats', 'SIGKILL')
  for (const call of calls) answered(call)
  await works()
  await booksAgree(calls)
})

Servers('the chain is killed and loses its last blocks: they are sent again', async () => {
  const settled = await ask(network)
  await pause(CHAIN_SAVED_MS)
  // These are settled, and then their blocks are lost.
  const lost = await Promise.all(load())
  const calls = [settled, ...lost, ...(await through('chain', 'SIGKILL'))]
  for (const call of calls) answered(call)
  await works()
  await booksAgree(calls)
  const { jobs } = await audit(network, BOOKS_MS)
  for (const call of lost) assert.is(jobs.get(whole(call).jobId)?.end?.type, 'settled')
})

Servers(
  'the chain loses blocks while nothing runs: the books are healed all the same',
  async () => {
    await pause(CHAIN_SAVED_MS)
    const lost = await Promise.all(load())
    await audit(network, BOOKS_MS)
    const killed = network.kill('chain')
    await untilReplaced(network, 'chain', killed, 1)
    await pause(500)
    const healing = performance.now()
    await until(
      'all are on chain again',
      async () => {
        const books = await audit(network, 10_000).catch(() => undefined)
        return lost.every((call) => books?.jobs.has(whole(call).jobId))
      },
      BOOKS_MS,
    )
    process.stdout.write(`  healed after ${Math.round(performance.now() - healing)} ms\n`)
    await booksAgree(lost)
  },
)

Servers(
  'the chain hangs for five seconds: requests wait or are refused, none is lost',
  async () => {
    const running = load()
    await pause(300)
    const halted = network.kill('chain', 'SIGSTOP')
    const fresh = load()
    await pause(5_000)
    process.kill(halted, 'SIGCONT')
    const calls = [...(await Promise.all(running)), ...(await Promise.all(fresh))]
    note('chain halted', calls)
    for (const call of calls) wholeOrUnavailable(call)
    await works()
    await booksAgree(calls)
  },
)

Servers('a second start on the same data carries on', async () => {
  const before = whole(await ask(network))
  const books = await audit(network, BOOKS_MS)
  // Its job hears of a settlement by another way than the books.
  const old = await untilStatus(network, before.jobId, 'settled')
  await network.stop()
  const first = network
  network = await startNetwork({ dataDir })
  assert.is(network.api_key, first.api_key)
  assert.equal(network.wallet, first.wallet)
  assert.equal(await getJob(network, before.jobId), old)
  const again = await audit(network, BOOKS_MS)
  assert.is(again.available, books.available)
  assert.equal([...again.jobs], [...books.jobs])
  await works()
  await audit(network, BOOKS_MS)
})

/** Some that run when the server dies, and some that come right after. */
async function through(role: 'redis' | 'nats' | 'chain', signal: NodeJS.Signals): Promise<Call[]> {
  const running = load()
  await pause(500)
  const killed = network.kill(role, signal)
  const fresh = load()
  const calls = [...(await Promise.all(running)), ...(await Promise.all(fresh))]
  note(`${role} killed`, calls)
  await untilReplaced(network, role, killed, 1)
  return calls
}

const load = (): Promise<Call>[] =>
  Array.from({ length: JOBS }, (_, i) => ask(network, { stream: i % 2 === 0 }))

/** New requests are answered again, soon. */
async function works(): Promise<void> {
  const startedAt = performance.now()
  await until(
    'an answer',
    async () => (await ask(network, { deadlineMs: WORKS_AGAIN_MS })).type === 'whole',
    WORKS_AGAIN_MS,
  )
  process.stdout.write(`  works again after ${Math.round(performance.now() - startedAt)} ms\n`)
}

async function booksAgree(calls: readonly Call[]): Promise<void> {
  const { jobs } = await audit(network, BOOKS_MS)
  await allAgree(network, calls, jobs)
}

function wholeOrUnavailable(call: Call): void {
  if (call.type === 'refused') assert.is(call.status, 503, told(call))
  else whole(call)
}

/** Whole, or an error that says so in the one envelope: never a connection that just breaks. */
function answered(call: Call): void {
  assert.is.not(call.type, 'broken', told(call))
}

const note = (what: string, calls: readonly Call[]): void => {
  process.stdout.write(`  ${what}: ${tally(calls)}\n`)
}

Servers.run()
