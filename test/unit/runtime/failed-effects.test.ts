import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { EffectSet } from '../../../src/runtime/effects.ts'
import { FailedEffects } from '../../../src/runtime/failed-effects.ts'
import type { DueEffect } from '../../../src/runtime/kind.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

const Failed = suite('effects that fail')

interface Line {
  readonly effect: string
  readonly moreBefore?: number
}

/** So many actors, each with one effect that fails again and again. */
function failing(actors: number, keyOf: (actor: number) => string) {
  const clock = new ManualClock()
  const lines: Line[] = []
  const log = makeLog('test', 'info', { write: (line) => lines.push(JSON.parse(line) as Line) })
  const failed = new FailedEffects(clock, log)
  let tries = 0
  const sets = Array.from({ length: actors }, () => {
    const run = async () => {
      tries++
      throw new Error('the server is away')
    }
    return new EffectSet<never, DueEffect>({ clock, failed, run, tell: () => {} })
  })
  for (const [actor, set] of sets.entries()) set.update([{ key: keyOf(actor) }])
  return { clock, lines, tries: () => tries }
}

Failed('are tried by all actors, and told of once in ten seconds', async () => {
  const { clock, lines, tries } = failing(200, () => 'release')
  await clock.advance(30_000)
  assert.ok(tries() > 200 * 15)
  assert.ok(lines.length >= 3 && lines.length <= 4, `${lines.length} lines`)
  const told = lines.reduce((sum, { moreBefore = 0 }) => sum + 1 + moreBefore, 0)
  // What came after the last line is told by the next.
  assert.ok(told > tries() / 2, `${told} of ${tries()}`)
})

Failed('each kind has its line, whichever attempt it is of', async () => {
  const { clock, lines } = failing(10, (actor) => (actor < 5 ? `offer.${actor}` : 'settle'))
  await clock.advance(1_000)
  assert.equal(
    lines.map(({ effect }) => effect),
    ['offer.0', 'settle'],
  )
})

Failed.run()
