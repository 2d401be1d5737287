import { suite } from 'uvu'
import { type Balancer, makeBalancer } from '../cluster/balancer.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { makeTwoVersions, type TwoVersions } from '../network/two-versions.ts'
import { MODEL } from './calls.ts'
import { allWhole, BACK_MS, restart, underLoad } from './rolling.ts'
import { killAndWait, untilServed } from './until.ts'

/**
 * A network of the version before this one becomes one of this version, in the order of
 * src/docs/operating/install.md, and back. Between, hosts of both share partitions and jobs.
 */
const Upgrade = suite('upgrade')
const START_MS = 480_000

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
  const calls = await underLoad(
    { network, balancer },
    'edges, pools, one actor host',
    async (more) => {
      for (const role of ['edge', 'pool'] as const) {
        both().set(role, 'this')
        for (const index of [0, 1]) await restart({ network, balancer }, role, index, more)
      }
      both().set('actors', 'this')
      await restart({ network, balancer }, 'actors', 0, more)
    },
  )
  allWhole(calls)
})

// Each of the two goes on with jobs that the other one began, and with what it wrote of them.
Upgrade('kill -9 of the host of either version: the other one ends its jobs', async () => {
  await underLoad({ network, balancer }, 'hosts of both killed', async (more) => {
    for (const [index, version] of ['this', 'older', 'this', 'older'].entries()) {
      both().set('actors', version as 'this' | 'older')
      await killAndWait(network, 'actors', index % 2)
      await more()
    }
  })
})

Upgrade('the other actor host and the workers: no request fails', async () => {
  const calls = await underLoad({ network, balancer }, 'the rest', async (more) => {
    both().set('actors', 'this')
    await restart({ network, balancer }, 'actors', 1, more)
    both().set('worker', 'this')
    for (const index of [0, 1, 2, 3]) await restart({ network, balancer }, 'worker', index, more)
  })
  allWhole(calls)
})

Upgrade('and back, edges last: no request fails', async () => {
  const calls = await underLoad({ network, balancer }, 'back', async (more) => {
    for (const role of ['actors', 'pool', 'edge'] as const) {
      both().set(role, 'older')
      for (const index of [0, 1]) await restart({ network, balancer }, role, index, more)
    }
  })
  allWhole(calls)
})

function both(): TwoVersions {
  if (!versions) throw new Error('there is no older version here')
  return versions
}

if (versions) Upgrade.run()
else {
  const Shallow = suite('upgrade')
  Shallow.skip('needs the history of this repository')
  Shallow.run()
}
