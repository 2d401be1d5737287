import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Network, startNetwork } from '../../network/network.ts'
import { pause } from '../../until.ts'
import { audit } from '../books.ts'
import { ask, type Call, MODEL } from '../calls.ts'
import { untilReplaced, untilServed } from '../until.ts'
import { allAgree, tally, told, whole } from '../verdicts.ts'

/** Processes of the house that die, hang, or leave under load. */
const Hosts = suite('faults of hosts')
const BOOKS_MS = 90_000
const JOBS = 50
/** A job begun right after a host's death must not wait for its deadline; an answer takes 1.3 s. */
const AFTER_KILL_MS = 30_000

let network: Network
Hosts.before(async () => {
  network = await startNetwork({
    flags: ['--actors', '2', '--edges', '2', '--pools', '2', '--workers', '4'],
    env: { WORKER_SAMPLE_TOKENS: '40', WORKER_SAMPLE_TOKEN_MS: '25', WORKER_SLOTS: '32' },
  })
  await untilServed(network, MODEL, 4)
})
Hosts.after(() => network?.stop())

Hosts('kill -9 of one actor host: every answer comes whole, new jobs are not held up', async () => {
  const running = load(JOBS)
  await pause(600)
  const killed = network.kill('actors', 'SIGKILL', 0)
  const fresh = load(JOBS)
  const calls = await Promise.all(running)
  const after = await Promise.all(fresh)
  note('host killed', calls)
  note('begun after', after)
  for (const call of [...calls, ...after]) whole(call)
  for (const call of after) assert.ok(call.tookMs < AFTER_KILL_MS, told(call))
  await booksAgree([...calls, ...after])
  await untilReplaced(network, 'actors', killed, 2)
})

Hosts('kill -9 of both actor hosts, one after the other', async () => {
  await pause(3_000) // the new host has its share
  const running = load(JOBS)
  await pause(600)
  const [one, last] = network.pids('actors') as [number, number]
  process.kill(one, 'SIGKILL')
  await pause(1_000)
  process.kill(last, 'SIGKILL')
  const fresh = load(JOBS)
  const calls = await Promise.all(running)
  const after = await Promise.all(fresh)
  note('both killed', calls)
  note('begun with neither', after)
  for (const call of calls) whole(call)
  // For a while nobody was there to take them on.
  for (const call of after) wholeOrUnavailable(call)
  await booksAgree([...calls, ...after])
  await untilReplaced(network, 'actors', last, 2)
})

Hosts('an actor host that is halted for six seconds and goes on, under load', async () => {
  await pause(3_000)
  const running = load(JOBS)
  await pause(600)
  const halted = network.kill('actors', 'SIGSTOP', 0)
  const fresh = load(JOBS)
  await pause(6_000)
  process.kill(halted, 'SIGCONT')
  const later = load(JOBS)
  const calls = [...(await Promise.all(running)), ...(await Promise.all(fresh))]
  const after = await Promise.all(later)
  note('host halted', calls)
  note('begun after', after)
  for (const call of [...calls, ...after]) whole(call)
  await booksAgree([...calls, ...after])
})

Hosts('SIGTERM of an actor host under load: not one request fails', async () => {
  await pause(2_000)
  const running = load(JOBS)
  await pause(400)
  const ended = network.kill('actors', 'SIGTERM', 1)
  const calls = await Promise.all([...running, ...load(JOBS)])
  note('host drained', calls)
  for (const call of calls) whole(call)
  await booksAgree(calls)
  await untilReplaced(network, 'actors', ended, 2)
})

Hosts(
  'kill -9 of one of two pools: plain requests are answered, streams answer or say so',
  async () => {
    const running = load(JOBS)
    await pause(600)
    const killed = network.kill('pool', 'SIGKILL', 0)
    const fresh = load(JOBS)
    const calls = [...(await Promise.all(running)), ...(await Promise.all(fresh))]
    note('pool killed', calls)
    calls.forEach((call, i) => {
      // A stream whose text was on its way cannot begin anew.
      if (call.type === 'torn') assert.ok(i % 2 === 0)
      else whole(call)
    })
    await booksAgree(calls)
    await untilReplaced(network, 'pool', killed, 2)
    await untilServed(network, MODEL, 4)
  },
)

Hosts('kill -9 of an edge: what it began comes to an end, nothing stays locked', async () => {
  const running = load(JOBS)
  await pause(300)
  const killed = network.kill('edge', 'SIGKILL', 1)
  const calls = await Promise.all(running)
  note('edge killed', calls)
  calls.forEach((call, i) => {
    if (edgeOf(i) === 0) whole(call)
    else assert.ok(call.type === 'whole' || call.type === 'broken', told(call))
  })
  await untilReplaced(network, 'edge', killed, 2)
  await untilServed(network, MODEL, 4)
  // Reservations of a dead edge are given back by the sweeper, which looks every five seconds for
  // those older than fifteen.
  await booksAgree(calls, 120_000)
  whole(await ask(network, { edge: 1 }))
})

const edgeOf = (i: number) => (i >> 1) % 2

/** A mix of plain requests and streams, over both edges, all at once. */
function load(count: number): Promise<Call>[] {
  return Array.from({ length: count }, (_, i) =>
    ask(network, { stream: i % 2 === 0, edge: edgeOf(i) }),
  )
}

async function booksAgree(calls: readonly Call[], withinMs = BOOKS_MS): Promise<void> {
  const { jobs } = await audit(network, withinMs)
  await allAgree(network, calls, jobs)
}

function wholeOrUnavailable(call: Call): void {
  if (call.type === 'refused') assert.is(call.error.code, 'service_unavailable', told(call))
  else whole(call)
}

const note = (what: string, calls: readonly Call[]): void => {
  process.stdout.write(`  ${what}: ${tally(calls)}\n`)
}

Hosts.run()
