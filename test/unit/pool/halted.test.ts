import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { POOL_SUMMARY_MS } from '../../../src/messages/pool.ts'
import { PoolTime } from '../../../src/pool/pool-time.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

/** A pool's process was halted: workers have said what it has not read. */
const Halted = suite('pool: halted')

function running() {
  const clock = new ManualClock()
  const time = new PoolTime(clock)
  clock.every(POOL_SUMMARY_MS, () => time.follow(false, []))
  return { clock, time }
}

Halted('nobody was silent meanwhile, and a deadline is as near as it is', async () => {
  const { clock, time } = running()
  await clock.advance(2_000)
  const [heardAt, now] = [time.monotonic(), time.now()]
  clock.standStill(90_000)
  assert.is(time.monotonic() - heardAt, 0)
  assert.is(time.now() - now, 90_000)
  await clock.advance(5_000)
  assert.is(time.monotonic() - heardAt, 5_000)
})

Halted('while it runs, silence is as long as it is', async () => {
  const { clock, time } = running()
  const heardAt = time.monotonic()
  await clock.advance(60_000)
  assert.is(time.monotonic() - heardAt, 60_000)
})

Halted.run()
