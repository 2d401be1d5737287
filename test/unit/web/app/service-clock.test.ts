import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { offsetOf } from '../../../../src/web/app/api/service-clock.ts'

const ServiceClock = suite("the service's clock")

const TOLD = 1_000_000

ServiceClock('a device that may be right is taken to be, however slow the network is', () => {
  assert.is(offsetOf(TOLD, TOLD, TOLD), 0)
  assert.is(offsetOf(TOLD, TOLD + 900, TOLD + 950), 0, 'the told second has not ended')
  assert.is(offsetOf(TOLD, TOLD - 20_000, TOLD + 20_000), 0)
})

ServiceClock('a device that cannot be right is set by the least that explains it', () => {
  const minutes = (count: number) => count * 60_000
  assert.is(offsetOf(TOLD, TOLD - minutes(5), TOLD - minutes(5) + 200), minutes(5) - 200)
  assert.is(offsetOf(TOLD, TOLD + minutes(5), TOLD + minutes(5) + 200), 1_000 - minutes(5))
})

ServiceClock.run()
