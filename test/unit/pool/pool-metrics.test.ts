import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { CatalogueModel } from '../../../src/domain/models.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { ModelLoad } from '../../../src/messages/pool.ts'
import { makePoolMetrics } from '../../../src/pool/pool-metrics.ts'
import { makeMetrics } from '../../../src/telemetry/metrics.ts'

const Figures = suite('pool: figures')

const NOW = toUnixMs(1_000_000)
const model = (id: string, retiresAt: number | null = null) =>
  ({ id, retiresAt: retiresAt === null ? null : toUnixMs(retiresAt) }) as CatalogueModel
const load = (queued: number) => ({ slots: 2, busy: 2, queued }) as ModelLoad
const LISTED = [model('listed'), model('retiring', 2_000_000), model('retired', 999_999)]

async function queued(models: Record<string, ModelLoad>): Promise<string[]> {
  const metrics = makeMetrics()
  const summary = { poolId: 'p', draining: false, models }
  makePoolMetrics({
    metrics,
    placements: { workers: 0, summary: () => summary },
    poolId: 'p',
    catalogue: { all: () => LISTED },
    clock: { now: () => NOW },
  })
  const lines = (await metrics.text()).split('\n')
  return lines.filter((line) => line.startsWith('svc_pool_queued{')).sort()
}

Figures('a pool without workers says that no job waits there, and not nothing', async () => {
  assert.equal(await queued({}), [
    'svc_pool_queued{model="listed"} 0',
    'svc_pool_queued{model="retiring"} 0',
  ])
})

Figures('where there are workers, what waits counts', async () => {
  assert.equal(await queued({ listed: load(3), retired: load(1) }), [
    'svc_pool_queued{model="listed"} 3',
    'svc_pool_queued{model="retired"} 1',
    'svc_pool_queued{model="retiring"} 0',
  ])
})

Figures.run()
