import '../globals.ts'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Stage } from './stage.ts'

const SEEDS = 12
const FIRST_SEED = 1
const SIZE = { callers: 6, workers: 4, withinMs: 15_000, healAtMs: 25_000 }

/** A life begins in a task of its own: see Kernel.live. */
const lived = (seed: number): Promise<Stage & { flaws: readonly string[] }> =>
  new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        const stage = new Stage(seed, SIZE)
        const flaws = stage.play()
        resolve(Object.assign(stage, { flaws }))
      } catch (error) {
        reject(error)
      }
    })
  })

test('callers are told the truth, and endpoints hear of what is due', async () => {
  let answers = 0
  let refusals = 0
  let heard = 0
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    const { flaws, witness, endpoints, kernel } = await lived(seed)
    assert.equal(flaws, [], `seed ${seed}\n${flaws.join('\n')}\n${kernel.history.text}`)
    for (const { answer } of witness.chats) {
      if (answer.error) refusals++
      else if (answer.isComplete) answers++
    }
    for (const { received } of endpoints.all.values()) heard += received.length
  }
  // Lives in which nothing happens prove nothing.
  assert.ok(answers > SEEDS, `${answers} answers`)
  assert.ok(refusals > 0, 'some were refused')
  assert.ok(heard > SEEDS, `${heard} deliveries`)
})

test('the same seed is the same life', async () => {
  const [first, second] = [await lived(7), await lived(7)]
  assert.is(second.kernel.history.text, first.kernel.history.text)
})

test.run()
