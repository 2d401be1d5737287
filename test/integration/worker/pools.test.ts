import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Agent } from '../../../src/worker/agent.ts'
import { makeSampleEngine } from '../../../src/worker/engines/sample.ts'
import { SignedJobs } from '../../../src/worker/local/signed-jobs.ts'
import { Relay } from '../../fakes/pool/relay.ts'
import { identity, log, MODEL, PoolStage } from '../../fakes/pool/stage.ts'
import { pause, SOON_MS, until } from '../../until.ts'

const Pools = suite('worker: several pools')
const BACK_MS = 20_000

let first: PoolStage
let second: PoolStage
let relays: Relay[]
let agents: Agent[]

Pools.before.each(async () => {
  first = await new PoolStage().open()
  second = await new PoolStage().open()
  relays = await Promise.all([first, second].map(({ url }) => new Relay(url).open()))
  agents = []
})
Pools.after.each(async () => {
  await Promise.all(agents.map((agent) => agent.stop()))
  for (const relay of relays) relay.close()
  await first.close()
  await second.close()
})

/** An agent that knows both pools. Its answers take as many milliseconds a token. */
function start(key: number, tokenMs = 1): Agent {
  const models = [{ id: MODEL, contextWindow: 0 }]
  const engine = makeSampleEngine({ models, tokens: 20, tokenMs })
  const agent = new Agent({
    pools: async () => relays.map(({ url }) => ({ target: url, tls: false })),
    ...{ identity: identity(key), signed: new SignedJobs(), engine, slots: 2 },
    ...{ region: 'test', log },
  })
  agents.push(agent)
  agent.start()
  return agent
}

Pools('a pool is lost: its workers are on the next within seconds, and work', async () => {
  for (const key of [1, 2, 3]) start(key)
  await until('three workers at the first pool', () => first.workers() === 3, SOON_MS)
  relays[0]!.cut()
  await until('three workers at the second pool', () => second.workers() === 3, BACK_MS)
  const { jobId } = await second.offer()
  await second.hears(jobId, 'CompleteJob')
  await pause(500)
  assert.is(relays[0]!.dialled, 3, 'nobody dials the lost one while another takes them')
})

Pools(
  'a pool that shuts down: who is idle goes at once, who works when the job is done',
  async () => {
    const busy = start(1, 100)
    await until('a worker at the first pool', () => first.workers() === 1, SOON_MS)
    const { jobId } = await first.offer()
    await first.hears(jobId, 'AssignWorker')
    start(2)
    await until('another worker at the first pool', () => first.workers() === 2, SOON_MS)
    const stopped = first.pool.stop()
    await until('the idle one at the second pool', () => second.workers() === 1, BACK_MS)
    assert.is(busy.report().busy, 1)
    await first.hears(jobId, 'CompleteJob')
    await until('the busy one at the second pool', () => second.workers() === 2, BACK_MS)
    await stopped
  },
)

Pools('the first pool is not there: the next is tried without waiting', async () => {
  relays[0]!.cut()
  start(1)
  await until('the worker at the second pool', () => second.workers() === 1, BACK_MS)
})

Pools('a pool on this machine is not asked for by way of a proxy', async () => {
  process.env.http_proxy = 'http://127.0.0.1:9'
  try {
    start(1)
    await until('the worker at the first pool', () => first.workers() === 1, SOON_MS)
  } finally {
    delete process.env.http_proxy
  }
})

Pools('no pool is there: each is tried, then it waits, longer each time', async () => {
  for (const relay of relays) relay.cut()
  const agent = start(1)
  const counts = () => relays.map((relay) => relay.dialled)
  await until('each to be dialled twice', () => Math.min(...counts()) >= 2, SOON_MS)
  await pause(2_000)
  const dialled = counts()
  // gRPC may connect twice in one dial. Without waiting there would be thirty.
  assert.ok(Math.max(...dialled) <= 15, `dialled: ${dialled}`)
  assert.match(agent.report().trouble ?? '', 'UNAVAILABLE')
})

Pools.run()
