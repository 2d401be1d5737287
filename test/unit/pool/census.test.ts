import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toUnixMs } from '../../../src/domain/time.ts'
import { REGIONS_MOST } from '../../../src/messages/pool.ts'
import { censusOf } from '../../../src/pool/placement/census.ts'
import { Demand } from '../../../src/pool/placement/demand.ts'

const Census = suite('pool census')

const at = (region: string) => ({ profile: { region } })

Census('counts workers, and those who say where they are by region, the most first', () => {
  const census = censusOf([at('fra'), at('nyc'), at(''), at('nyc'), at('__proto__')], 7)
  assert.is(census.workers, 5)
  assert.is(census.jobsLastMinute, 7)
  assert.equal(Object.entries(census.regions), [
    ['nyc', 2],
    ['fra', 1],
    ['__proto__', 1],
  ])
})

Census('stays small, whatever operators write', () => {
  const many = Array.from({ length: REGIONS_MOST * 3 }, (_, i) => at(`region-${i}`))
  const census = censusOf(many, 0)
  assert.is(Object.keys(census.regions).length, REGIONS_MOST)
  assert.is(census.workers, many.length)
})

Census('jobs of all models of the last minute, and no older ones', () => {
  const demand = new Demand()
  const now = toUnixMs(1_800_000_000_000)
  demand.note('one', now)
  demand.note('one', now)
  demand.note('two', toUnixMs(now + 30_000))
  assert.is(demand.lastMinuteOfAll(toUnixMs(now + 30_000)), 3)
  assert.is(demand.lastMinuteOfAll(toUnixMs(now + 61_000)), 1)
})

Census.run()
