import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Network, startNetwork } from '../network/network.ts'
import { pause, until } from '../until.ts'
import { untilReplaced } from './until.ts'

/** One address against two edges. The test stands where a trusted proxy would. */
const Bursts = suite('burst limit')
/** Slow, so that a busy machine meets the limit as a quick one does. */
const PER_SECOND = 4
const BURST = 40

let network: Network
Bursts.before(async () => {
  network = await startNetwork({
    flags: ['--edges', '2'],
    env: {
      EDGE_BURST: String(BURST),
      EDGE_BURST_PER_SECOND: String(PER_SECOND),
      EDGE_TRUST_PROXY: '127.0.0.1',
    },
  })
})
Bursts.after(() => network?.stop())

const ask = (edge: number, address: string, path = '/models'): Promise<Response> =>
  fetch(`${network.base_urls[edge]}${path}`, {
    headers: { authorization: `Bearer ${network.api_key}`, 'x-forwarded-for': address },
    signal: AbortSignal.timeout(60_000),
  })

/** How many of `count` requests pass, spread over both edges, `eachMs` between two of them. */
async function passed(address: string, count: number, eachMs: number): Promise<Passed> {
  const startedAt = performance.now()
  const answers: Promise<Response>[] = []
  for (let i = 0; i < count; i++) {
    answers.push(ask(i % 2, address))
    await pause(eachMs)
  }
  const statuses = await Promise.all(answers.map(async (answer) => (await answer).status))
  assert.ok(
    statuses.every((status) => status === 200 || status === 429),
    String(statuses),
  )
  const seconds = (performance.now() - startedAt) / 1_000
  return { passed: statuses.filter((status) => status === 200).length, seconds }
}
interface Passed {
  readonly passed: number
  readonly seconds: number
}

Bursts('two edges give one burst together, and then the rate', async () => {
  const { passed: count, seconds } = await passed('203.0.113.1', 120, 20)
  const allowed = BURST + PER_SECOND * seconds
  process.stdout.write(
    `  ${count} of 120 in ${seconds.toFixed(1)} s, ${allowed.toFixed(0)} allowed\n`,
  )
  assert.ok(count >= BURST && count <= allowed + 10, `${count}, where ${allowed} are allowed`)
})

Bursts('a refusal is in the envelope and says when to come back', async () => {
  const answers = await Promise.all(
    Array.from({ length: BURST * 3 }, (_, i) => ask(i % 2, '203.0.113.2', '/account')),
  )
  const refused = answers.find(({ status }) => status === 429)!
  const { error } = (await refused.json()) as {
    error: { code: string; type: string; details: { retry_after: number } }
  }
  assert.equal([error.code, error.type], ['rate_limited', 'rate_limit_error'])
  const seconds = Number(refused.headers.get('retry-after'))
  assert.is(seconds, error.details.retry_after)
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60)
  // Who keeps to what it is told passes in the end. Not at once: an edge that refuses knows of what it gave
  // itself, of what the other gave only once it has been asked again, and then all of it.
  let answer = refused
  for (let tries = 0; tries < 3 && answer.status === 429; tries++) {
    await pause((Number(answer.headers.get('retry-after')) + 1) * 1_000)
    answer = await ask(0, '203.0.113.2')
  }
  assert.is(answer.status, 200)
})

Bursts('other callers behind the same proxy notice nothing', async () => {
  const loud = passed('203.0.113.3', 150, 5)
  for (let i = 0; i < 10; i++) {
    assert.is((await ask(i % 2, `198.51.100.${i}`)).status, 200)
    await pause(50)
  }
  assert.ok((await loud).passed < 150, 'the loud one does')
})

Bursts('Redis dies: each edge goes on by itself, and they share again after', async () => {
  const killed = network.kill('redis')
  const { passed: alone, seconds: aloneSeconds } = await passed('203.0.113.4', 200, 2)
  process.stdout.write(`  ${alone} of 200 without Redis\n`)
  const each = BURST + PER_SECOND * (aloneSeconds + 1)
  // A Redis that is back before the last of them is empty, and gives one burst anew.
  const most = 2 * each + BURST
  assert.ok(alone >= BURST && alone <= most, `${alone}, where ${most} are allowed`)
  await untilReplaced(network, 'redis', killed, 1)
  await until('an account', async () => (await ask(0, '203.0.113.5', '/account')).ok)
  await pause(1_000)
  const { passed: together, seconds } = await passed('203.0.113.6', 100, 20)
  assert.ok(together <= BURST + PER_SECOND * seconds + 10, `${together} of 100`)
})

Bursts.run()
