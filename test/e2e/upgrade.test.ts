import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Balancer, makeBalancer } from '../cluster/balancer.ts'
import { startLoad } from '../cluster/steady-load.ts'
import { type Network, type Role, startNetwork } from '../network/network.ts'
import { makeTwoVersions, type TwoVersions } from '../network/two-versions.ts'
import { audit } from './books.ts'
import { type Call, MODEL } from './calls.ts'
import { killAndWait, startsOf, until, untilServed } from './until.ts'
import { allAgree, tally, told } from './verdicts.ts'

/**
 * A network of the version before this one becomes one of this version, in the order of
 * src/docs/operating/install.md, and back. Between, hosts of both share partitions and jobs.
 */
const Upgrade = suite('upgrade')
const START_MS = 480_000
const BACK_MS = 180_000
const BOOKS_MS = 60_000
const AT_ONCE = 8
/** Calls between two restarts, so that each process serves before the next one goes. */
const BETWEEN = 6

const versions = await makeTwoVersions()
let network: Network
let balancer: Balancer
Upgrade.before(async () => {
  network = await startNetwork({
    build: both().build,
    flags: ['--actors', '2', '--edges', '2', '--pools', '2', '--workers', '4'],
    startPatienceMs: START_MS,
    env: {
      ...{ LEAVE_SECONDS: '3', WORKER_SLOTS: '32' },
      ...{ WORKER_SAMPLE_TOKENS: '30', WORKER_SAMPLE_TOKEN_MS: '15' },
    },
  })
  await untilServed(network, MODEL, 4, BACK_MS)
  balancer = makeBalancer(network.base_urls)
  await balancer.untilReady(2)
})
Upgrade.after(async () => {
  balancer?.stop()
  await network?.stop()
  versions?.remove()
})

Upgrade('edges, pools, one actor host: no request fails', async () => {
  const calls = await underLoad(async (more) => {
    for (const role of ['edge', 'pool'] as const) {
      both().set(role, 'this')
      for (const index of [0, 1]) await restart(role, index, more)
    }
    both().set('actors', 'this')
    await restart('actors', 0, more)
  })
  allWhole(calls)
})

// Each of the two goes on with jobs that the other one began, and with what it wrote of them.
Upgrade('kill -9 of the host of either version: the other one ends its jobs', async () => {
  await underLoad(async (more) => {
    for (const [index, version] of ['this', 'older', 'this', 'older'].entries()) {
      both().set('actors', version as 'this' | 'older')
      await killAndWait(network, 'actors', index % 2)
      await more()
    }
  })
})

Upgrade('the other actor host and the workers: no request fails', async () => {
  const calls = await underLoad(async (more) => {
    both().set('actors', 'this')
    await restart('actors', 1, more)
    both().set('worker', 'this')
    for (const index of [0, 1, 2, 3]) await restart('worker', index, more)
  })
  allWhole(calls)
})

Upgrade('and back, edges last: no request fails', async () => {
  const calls = await underLoad(async (more) => {
    for (const role of ['actors', 'pool', 'edge'] as const) {
      both().set(role, 'older')
      for (const index of [0, 1]) await restart(role, index, more)
    }
  })
  allWhole(calls)
})

function both(): TwoVersions {
  if (!versions) throw new Error('there is no older version here')
  return versions
}

async function restart(role: Role, index: number, more: () => Promise<void>): Promise<void> {
  const starts = startsOf(network, role, index)
  network.kill(role, 'SIGTERM', index)
  await until(`${role} is back`, () => startsOf(network, role, index) > starts, BACK_MS)
  await balancer.untilReady(2, BACK_MS)
  await untilServed(network, MODEL, 4, BACK_MS)
  await more()
}

async function underLoad(
  change: (more: () => Promise<void>) => Promise<void>,
): Promise<readonly Call[]> {
  const load = startLoad(network, { atOnce: AT_ONCE, edge: balancer.next })
  const more = async () => {
    const from = load.calls.length
    await until(`${BETWEEN} more calls`, () => load.calls.length >= from + BETWEEN, BACK_MS)
  }
  try {
    await more()
    await change(more)
  } finally {
    await load.end()
  }
  process.stdout.write(`  ${tally(load.calls)}\n`)
  const { jobs } = await audit(network, BOOKS_MS)
  await allAgree(network, load.calls, jobs)
  return load.calls
}

function allWhole(calls: readonly Call[]): void {
  const failed = calls.filter(({ type }) => type !== 'whole')
  assert.is(failed.length, 0, failed.slice(0, 5).map(told).join('\n'))
}

if (versions) Upgrade.run()
else {
  const Shallow = suite('upgrade')
  Shallow.skip('needs the history of this repository')
  Shallow.run()
}
