import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addMs } from '../../../src/domain/time.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { inHouse } from '../../fakes/pool/house.ts'
import { type Answer, stream } from '../../fakes/pool/upstream.ts'
import { SOON_MS, until } from '../../until.ts'

/** Somebody sets the clock of the machine that a pool is on, while it works. */
const Clocks = suite('pool: its clock is set')

const slowly: Answer = (_request, response) =>
  stream(response, Array(100).fill('word '), { everyMs: 25 })
const FAR_MS = 600_000

function settable(): Clock & { set(byMs: number): void } {
  let wrongMs = 0
  return {
    ...systemClock,
    now: () => addMs(systemClock.now(), wrongMs),
    set: (byMs) => {
      wrongMs += byMs
    },
  }
}

for (const byMs of [FAR_MS, -FAR_MS]) {
  const clock = settable()
  Clocks(
    `by ${byMs} ms: an answer under way is proven, and so is the next one`,
    inHouse(
      async ({ stage, serve }) => {
        await serve(slowly)
        const seen = { sentAt: clock.now(), deadlineAt: addMs(clock.now(), 30_000) }
        const { jobId } = await stage.offer(seen)
        await until('some text', () => stage.textOf(jobId).length > 20, SOON_MS)
        clock.set(byMs)
        await stage.hears(jobId, 'CompleteJob')
        assert.is(stage.textOf(jobId), 'word '.repeat(100))
        // Right after it, before anybody has heard what time it is now.
        clock.set(-byMs)
        const after = { sentAt: clock.now(), deadlineAt: addMs(clock.now(), 30_000) }
        const next = await stage.offer(after)
        await stage.hears(next.jobId, 'CompleteJob')
      },
      { clock },
    ),
  )
}

const wall = settable()

Clocks(
  'once nothing is under way it goes by the new time, and so do its workers',
  inHouse(
    async ({ stage, serve }) => {
      await serve(slowly)
      wall.set(FAR_MS)
      await until(
        'the pool follows',
        () => stage.pool.time.now() > Date.now() + FAR_MS / 2,
        SOON_MS,
      )
      const now = wall.now()
      const { jobId } = await stage.offer({ sentAt: now, deadlineAt: addMs(now, 30_000) })
      const { completedAt } = await stage.hears(jobId, 'CompleteJob')
      assert.ok(Math.abs(completedAt * 1_000 - wall.now()) < 5_000, `signed at ${completedAt}`)
    },
    { clock: wall },
  ),
)

Clocks.run()
