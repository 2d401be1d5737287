import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { audit } from '../e2e/books.ts'
import { MODEL } from '../e2e/calls.ts'
import { untilServed } from '../e2e/until.ts'
import { allAgree, tally, told } from '../e2e/verdicts.ts'
import { runOn } from '../network/command.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { type NatsCluster, startNatsCluster } from './nats-cluster.ts'
import { startLoad } from './steady-load.ts'

/** A whole network on a NATS cluster of three, whose servers die under load. */
const Cluster = suite('a network on a NATS cluster')
const START_MS = 480_000
const BOOKS_MS = 45_000
const MORE_MS = 60_000
const AT_ONCE = 16
/** Calls that must have ended before the death, without the server, and after its return. */
const [BEFORE, WITHOUT, AFTER] = [24, 64, 32]

let cluster: NatsCluster
let network: Network
Cluster.before(async () => {
  cluster = await startNatsCluster()
  network = await startNetwork({
    startPatienceMs: START_MS,
    flags: ['--actors', '2', '--edges', '2', '--pools', '2', '--workers', '4'],
    env: {
      ...cluster.env,
      ...{ WORKER_SAMPLE_TOKENS: '30', WORKER_SAMPLE_TOKEN_MS: '15', WORKER_SLOTS: '32' },
    },
  })
  await untilServed(network, MODEL, 4)
})
Cluster.after(async () => {
  await network?.stop()
  await cluster?.stop()
})

Cluster('each stream and bucket is kept by three servers', async () => {
  for (const stream of ['JOB', 'TX', 'DONE', 'FACT', 'KV_PARTS', 'KV_KEYS', 'KV_CURSORS']) {
    assert.is((await cluster.infoOf(stream)).config.num_replicas, 3, stream)
  }
})

const VICTIMS = {
  'the leader of the journal': () => cluster.leaderOf('JOB'),
  'a follower of the journal': async () => (await cluster.followersOf('JOB'))[0]!,
  'the leader of the placements': () => cluster.leaderOf('KV_PARTS'),
}
for (const [what, choose] of Object.entries(VICTIMS)) {
  Cluster(`kill -9 of ${what}: no job is lost, every answer is true`, async () => {
    await cluster.untilWhole()
    let turn = 0
    const load = startLoad(network, { atOnce: AT_ONCE, edge: () => turn++ % 2 })
    const ended = (count: number) =>
      until(`${count} more calls`, () => load.calls.length >= from + count, MORE_MS)
    let from = 0
    try {
      await ended(BEFORE)
      const victim = await choose()
      from = load.calls.length
      await cluster.end(victim, 'SIGKILL')
      await ended(WITHOUT)
      from = load.calls.length
      await cluster.start(victim)
      await ended(AFTER)
    } finally {
      await load.end()
    }
    const { calls } = load
    process.stdout.write(`  ${what} killed: ${tally(calls)}\n`)
    for (const call of calls) assert.is.not(call.type, 'broken', told(call))
    const answered = calls.filter(({ type }) => type === 'whole').length
    assert.ok(answered >= BEFORE + AFTER, tally(calls))
    const { jobs } = await audit(network, BOOKS_MS)
    await allAgree(network, calls, jobs)
  })
}

Cluster('without its majority every actor host lacks NATS; with it again all goes on', async () => {
  await cluster.untilWhole()
  const [first, second] = await cluster.followersOf('JOB')
  await cluster.end(first!, 'SIGKILL')
  await cluster.end(second!, 'SIGKILL')
  await until('actor hosts that lack NATS', async () => {
    return (await readinessOfActors()).every((text) => text.includes('"missing":["NATS"]'))
  })
  await Promise.all([cluster.start(first!), cluster.start(second!)])
  await until('actor hosts that are ready', async () => {
    return (await readinessOfActors()).every((text) => text === '{"status":"ready"}')
  })
  await untilServed(network, MODEL, 4)
})

function readinessOfActors(): Promise<string[]> {
  const actors = network.read().processes.filter(({ role }) => role === 'actors')
  return Promise.all(
    actors.map(async ({ monitor_url: url }) => (await fetch(`${url}/readyz`)).text()),
  )
}

Cluster('the auditor finds nothing wrong in chain, journal and views', async () => {
  const { code, out, err } = await runOn(network, 'audit', ['--json'])
  assert.is(code, 0, `${out}${err}`)
})

Cluster.run()
