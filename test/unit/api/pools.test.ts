import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makePools } from '../../../src/api/models/pools.ts'
import type { PoolSummary } from '../../../src/messages/pool.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { CuttableBus } from '../../fakes/edge/cuttable-bus.ts'
import { LINEUP, MemoryCatalogue } from '../../fakes/memory-catalogue.ts'

const Heard = suite('which models are served')

const MODEL = LINEUP[0]!.id

async function stage() {
  const bus = new CuttableBus()
  const clock = new ManualClock()
  const pools = makePools({ bus, clock, catalogue: new MemoryCatalogue() })
  const tells = async () => {
    bus.publish(SUBJECTS.poolSummary, summary)
    await clock.advance(0)
  }
  await tells()
  return { bus, clock, pools, tells, isServed: () => pools.live(MODEL) !== undefined }
}

const summary: PoolSummary = {
  poolId: 'pool-1',
  draining: false,
  models: {
    [MODEL]: {
      ...{ workers: 1, slots: 1, busy: 0, queued: 0, firstTokenMs: null, firstTokensMs: [] },
      ...{ measured: 0, completionRate: 1, contextWindow: 8_192 },
    },
  },
}

Heard('a pool that is silent for more than three seconds is gone', async () => {
  const { clock, tells, isServed } = await stage()
  await clock.advance(2_500)
  assert.ok(isServed())
  await tells()
  await clock.advance(2_500)
  assert.ok(isServed())
  await clock.advance(1_500)
  assert.not.ok(isServed())
  await tells()
  assert.ok(isServed())
})

Heard('nobody is gone because we heard nobody', async () => {
  const { bus, clock, isServed } = await stage()
  bus.setConnected(false)
  await clock.advance(60_000)
  assert.ok(isServed(), 'while the server is away')
  bus.setConnected(true)
  await clock.advance(2_500)
  assert.ok(isServed(), 'nor before the pools can have said that they are there')
  await clock.advance(1_500)
  assert.not.ok(isServed())
})

Heard('nor because we stood still', async () => {
  const { clock, isServed } = await stage()
  clock.standStill(60_000)
  await clock.advance(0)
  assert.ok(isServed())
  await clock.advance(4_000)
  assert.not.ok(isServed())
})

Heard.run()
