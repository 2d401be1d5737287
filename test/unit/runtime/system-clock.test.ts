import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inTime, steady } from '../../../src/ports/clock.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'

const SystemClock = suite('system clock')

SystemClock('random bytes are as many as asked for, and never the same ones', () => {
  const seen = new Set<string>()
  for (const count of [16, 4_096, 32, 5_000, 16]) {
    const bytes = systemClock.randomBytes(count)
    assert.is(bytes.length, count)
    for (let at = 0; at + 16 <= count; at += 16) {
      seen.add(Buffer.from(bytes.subarray(at, at + 16)).toString('hex'))
    }
  }
  assert.is(seen.size, 1 + 256 + 2 + 312 + 1)
})

SystemClock('what was given does not change when more is asked for', () => {
  const first = systemClock.randomBytes(16)
  const copy = Buffer.from(first).toString('hex')
  for (let i = 0; i < 1_000; i++) systemClock.randomBytes(16)
  assert.is(Buffer.from(first).toString('hex'), copy)
})

SystemClock('what is done in time leaves no timer behind', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  assert.is(await inTime(systemClock, 60_000, Promise.resolve('done')), 'done')
  const refusal = inTime(systemClock, 60_000, Promise.reject(new Error('refused')))
  assert.is(await refusal.catch((error: Error) => error.message), 'refused')
  assert.is(timers(), before)
  assert.is(await inTime(systemClock, 1, new Promise(() => {})), undefined)
})

SystemClock('what is due in sixty days is not due at once', async () => {
  let called = false
  const cancel = systemClock.after(60 * 86_400_000, () => {
    called = true
  })
  await new Promise((resolve) => setTimeout(resolve, 20))
  cancel()
  assert.not(called)
})

SystemClock(
  'a steady clock tells whole milliseconds, as the protocol has to write them',
  async () => {
    const clock = steady(systemClock)
    for (let look = 0; look < 20; look++) {
      assert.ok(Number.isInteger(clock.now()), `${clock.now()}`)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  },
)

SystemClock.run()
