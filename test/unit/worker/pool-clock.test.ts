import pino from 'pino'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { PoolClock } from '../../../src/worker/pool-clock.ts'

const Clock = suite("worker: the pool's clock")

const { now } = Date
Clock.after.each(() => {
  Date.now = now
})

Clock('a deadline is as far as the pool says, also while this clock is set', () => {
  const clock = new PoolClock(pino({ level: 'silent' }))
  clock.hear(1_900_000_000_000)
  const left = () => Math.round(clock.leftMs(1_900_000_060_000) / 1_000)
  assert.is(left(), 60)
  Date.now = () => now() + 86_400_000
  assert.is(left(), 60)
})

Clock('what is a minute ahead of the pool is a minute ahead of this clock, wrong as it is', () => {
  const clock = new PoolClock(pino({ level: 'silent' }))
  assert.is(clock.here(1_900_000_060_000), 1_900_000_060_000, 'nothing was heard yet')
  clock.hear(now() + 300_000)
  Date.now = () => now() + 3_000
  const aheadMs = clock.here(now() + 360_000) - Date.now()
  assert.is(Math.round(aheadMs / 1_000), 60)
})

Clock('a clock that differs is told once, and again when it differs by more', () => {
  const told: unknown[] = []
  const log = { warn: (what: unknown) => told.push(what) }
  const clock = new PoolClock(log as never)
  for (const aheadMs of [0, 60_000, 60_001, 60_002, 0, 1]) clock.hear(now() + aheadMs)
  assert.is(told.length, 2)
})

Clock('a machine that slept hears of the time meanwhile, and its clock is right', () => {
  const told: unknown[] = []
  const log = { warn: (what: unknown) => told.push(what) }
  const clock = new PoolClock(log as never)
  for (const aheadMs of [0, 0, -60_000, -55_000, -50_000, 0, 0]) clock.hear(now() + aheadMs)
  assert.equal(told, [])
})

Clock.run()
