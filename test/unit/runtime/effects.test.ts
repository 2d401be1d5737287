import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addMs } from '../../../src/domain/time.ts'
import { EffectSet } from '../../../src/runtime/effects.ts'
import { FailedEffects } from '../../../src/runtime/failed-effects.ts'
import type { DueEffect } from '../../../src/runtime/kind.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'

/** What an actor has under way follows what is due. */
const Effects = suite('effects of an actor')

function open(run: (key: string) => Promise<void> = async () => {}) {
  const clock = new ManualClock()
  const begunAt = clock.monotonic()
  const runs: string[] = []
  const told: string[] = []
  const set = new EffectSet<string, DueEffect>({
    clock,
    failed: new FailedEffects(clock, makeLog('test', 'silent')),
    run: async ({ key }, { tell }) => {
      runs.push(`${key} ${clock.monotonic() - begunAt}`)
      await run(key)
      tell(key)
    },
    tell: (command) => void told.push(command),
  })
  return { clock, set, runs, told }
}

Effects('due no more: it ends; what is still due goes on, and is not begun anew', async () => {
  const { clock, set, runs } = open()
  set.update([
    { key: 'a', everyMs: 1_000 },
    { key: 'b', everyMs: 1_000 },
  ])
  await clock.advance(500)
  set.update([{ key: 'b', everyMs: 1_000 }])
  await clock.advance(1_500)
  assert.equal(runs, ['a 0', 'b 0', 'b 1000', 'b 2000'])
  set.cancelAll()
  await clock.advance(5_000)
  assert.is(runs.length, 4)
})
Effects('due no more while it runs: it says nothing, and is not tried again', async () => {
  let end = (_error?: Error) => {}
  const { clock, set, runs, told } = open(
    () =>
      new Promise((resolve, reject) => {
        end = (error) => (error ? reject(error) : resolve())
      }),
  )
  for (const error of [undefined, new Error('away')]) {
    set.update([{ key: 'a', everyMs: 100 }])
    await rest()
    set.update([])
    end(error)
    await clock.advance(5_000)
  }
  assert.equal([runs.length, told], [2, []])
})
Effects('failed: tried again, ever later, and as at first once it has gone well', async () => {
  const outcomes = [false, false, true, false, true]
  const { clock, set, runs } = open(async () => {
    if (outcomes.shift() === false) throw new Error('away')
  })
  set.update([{ key: 'a', everyMs: 1_000 }])
  await clock.advance(1_300)
  assert.equal(runs, ['a 0', 'a 50', 'a 150', 'a 1150', 'a 1200'])
})
Effects('not before its moment, by whatever clock, and no longer than it may take', async () => {
  const { clock, set, runs } = open()
  const notBefore = addMs(clock.now(), 500)
  set.update([
    { key: 'late', notBefore, withinMs: 500 },
    { key: 'past', notBefore: addMs(clock.now(), -500) },
  ])
  clock.jump(-60_000)
  set.update([
    { key: 'late', notBefore, withinMs: 500 },
    { key: 'jumped', notBefore, withinMs: 800 },
  ])
  await clock.advance(2_000)
  assert.equal(runs, ['past 0', 'late 500', 'jumped 800'])
})

Effects.run()
