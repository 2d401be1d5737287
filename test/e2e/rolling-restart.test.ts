import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Balancer, makeBalancer } from '../cluster/balancer.ts'
import { type NatsCluster, startNatsCluster } from '../cluster/nats-cluster.ts'
import { type Network, type Role, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { MODEL } from './calls.ts'
import { allWhole, BACK_MS, restart, underLoad } from './rolling.ts'
import { untilReplaced, untilServed } from './until.ts'

/**
 * Each process is ended in order and started anew, one after the other, while requests never stop.
 * Callers go through a load balancer that looks at /readyz, and repeat nothing: not one may fail.
 */
const Rolling = suite('rolling restart')
const START_MS = 480_000

let cluster: NatsCluster
let network: Network
let balancer: Balancer
Rolling.before(async () => {
  cluster = await startNatsCluster()
  network = await startNetwork({
    flags: ['--actors', '2', '--edges', '2', '--pools', '2', '--workers', '4'],
    startPatienceMs: START_MS,
    env: {
      ...{ ...cluster.env, LEAVE_SECONDS: '3' },
      ...{ WORKER_SAMPLE_TOKENS: '30', WORKER_SAMPLE_TOKEN_MS: '15', WORKER_SLOTS: '32' },
    },
  })
  await untilServed(network, MODEL, 4, BACK_MS)
  balancer = makeBalancer(network.base_urls)
  await balancer.untilReady(2)
})
Rolling.after(async () => {
  balancer?.stop()
  await network?.stop()
  await cluster?.stop()
})

const ROLES: readonly { readonly role: Role; readonly count: number }[] = [
  { role: 'edge', count: 2 },
  { role: 'pool', count: 2 },
  { role: 'actors', count: 2 },
  { role: 'worker', count: 4 },
]
for (const { role, count } of ROLES) {
  Rolling(`each ${role}: no request fails`, async () => {
    const calls = await underLoad({ network, balancer }, `${role} restarted`, async (more) => {
      for (let index = 0; index < count; index++) {
        await restart({ network, balancer }, role, index, more)
      }
    })
    allWhole(calls)
  })
}

Rolling('each server of the NATS cluster: no request fails', async () => {
  const calls = await underLoad({ network, balancer }, 'nats restarted', async (more) => {
    for (const name of cluster.names) {
      await cluster.end(name, 'SIGTERM')
      await more()
      await cluster.start(name)
      await cluster.untilWhole()
      await more()
    }
  })
  allWhole(calls)
})

Rolling('the web app: its API answers all the time but while it is away', async () => {
  const ended = network.kill('web', 'SIGTERM')
  await until('the web app is not ready', async () => (await webStatus('/readyz')) !== 200)
  // It says that it goes, and still serves.
  assert.is(await webStatus('/api/config'), 200)
  await untilReplaced(network, 'web', ended, 1)
  await until('the web app is ready', async () => (await webStatus('/readyz')) === 200, BACK_MS)
})

const webStatus = (path: string): Promise<number> =>
  fetch(`${network.web_url}${path}`, { signal: AbortSignal.timeout(5_000) }).then(
    ({ status }) => status,
    () => 0,
  )

Rolling.run()
