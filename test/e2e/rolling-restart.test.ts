import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Balancer, makeBalancer } from '../cluster/balancer.ts'
import { type NatsCluster, startNatsCluster } from '../cluster/nats-cluster.ts'
import { startLoad } from '../cluster/steady-load.ts'
import { type Network, type Role, startNetwork } from '../network/network.ts'
import { audit } from './books.ts'
import { MODEL } from './calls.ts'
import { startsOf, until, untilReplaced, untilServed } from './until.ts'
import { allAgree, tally, told } from './verdicts.ts'

/**
 * Each process is ended in order and started anew, one after the other, while requests never stop.
 * Callers go through a load balancer that looks at /readyz, and repeat nothing: not one may fail.
 */
const Rolling = suite('rolling restart')
const START_MS = 480_000
const BACK_MS = 180_000
const BOOKS_MS = 45_000
const AT_ONCE = 8
/** Calls between two restarts, so that each process serves before the next one goes. */
const BETWEEN = 6

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
  Rolling(`each ${role}: no request fails`, () =>
    underLoad(role, async (more) => {
      for (let index = 0; index < count; index++) {
        const starts = startsOf(network, role, index)
        network.kill(role, 'SIGTERM', index)
        await until(`${role} is back`, () => startsOf(network, role, index) > starts, BACK_MS)
        await settled()
        await more()
      }
    }),
  )
}

Rolling('each server of the NATS cluster: no request fails', () =>
  underLoad('nats', async (more) => {
    for (const name of cluster.names) {
      await cluster.end(name, 'SIGTERM')
      await more()
      await cluster.start(name)
      await cluster.untilWhole()
      await more()
    }
  }),
)

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

/** As an orchestrator waits before it goes on: all edges ready, all workers at work. */
async function settled(): Promise<void> {
  await balancer.untilReady(2, BACK_MS)
  await untilServed(network, MODEL, 4, BACK_MS)
}

async function underLoad(
  what: string,
  restart: (more: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const load = startLoad(network, { atOnce: AT_ONCE, edge: balancer.next })
  const more = async () => {
    const from = load.calls.length
    await until(`${BETWEEN} more calls`, () => load.calls.length >= from + BETWEEN, BACK_MS)
  }
  try {
    await more()
    await restart(more)
  } finally {
    await load.end()
  }
  process.stdout.write(`  ${what} restarted: ${tally(load.calls)}\n`)
  const failed = load.calls.filter(({ type }) => type !== 'whole')
  assert.is(failed.length, 0, failed.slice(0, 5).map(told).join('\n'))
  const { jobs } = await audit(network, BOOKS_MS)
  await allAgree(network, load.calls, jobs)
}

Rolling.run()
