import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { POOL_SUMMARY_MS } from '../../../src/messages/pool.ts'
import { PoolTime } from '../../../src/pool/pool-time.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

const Time = suite('pool: its time')
const FAR_MS = 600_000

function running() {
  const clock = new ManualClock()
  const time = new PoolTime(clock)
  clock.every(POOL_SUMMARY_MS, () => time.follow(false, []))
  return { clock, time }
}

Time(
  'workers were not silent while the process was halted, and a deadline is as near as it is',
  async () => {
    const { clock, time } = running()
    await clock.advance(2_000)
    const [heardAt, now] = [time.monotonic(), time.now()]
    clock.standStill(90_000)
    assert.is(time.monotonic() - heardAt, 0)
    assert.is(time.now() - now, 90_000)
    await clock.advance(5_000)
    assert.is(time.monotonic() - heardAt, 5_000)
  },
)

Time('while it runs, silence is as long as it is', async () => {
  const { clock, time } = running()
  const heardAt = time.monotonic()
  await clock.advance(60_000)
  assert.is(time.monotonic() - heardAt, 60_000)
})

for (const byMs of [FAR_MS, -FAR_MS])
  Time(`a clock that is set by ${byMs} ms is followed at once between jobs`, async () => {
    const clock = new ManualClock()
    const time = new PoolTime(clock)
    let beats = 0
    clock.jump(byMs)
    time.follow(true, [{ beat: () => beats++ }])
    assert.equal([time.now(), beats], [clock.now(), 1])
    time.follow(true, [{ beat: () => beats++ }])
    assert.is(beats, 1)
  })

for (const byMs of [FAR_MS, -FAR_MS])
  Time(`and while jobs are here by a quarter of the time, ${byMs} ms`, async () => {
    const { clock, time } = running()
    const began = time.now()
    clock.jump(byMs)
    await clock.advance(120_000)
    assert.is(time.now() - began, 120_000 + Math.sign(byMs) * 30_000)
    await clock.advance(4 * FAR_MS)
    assert.ok(Math.abs(time.now() - clock.now()) <= 1_000)
  })

Time.run()
