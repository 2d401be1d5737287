import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Beat } from '../../../src/worker/engines/beat.ts'

const Rest = suite('beat')

Rest('few answers are read as they come', () => {
  const beat = new Beat()
  for (let i = 0; i < 64; i++) beat.enter()
  assert.is(beat.rest(), undefined)
})

Rest('many are read on together, after a short rest', async () => {
  const beat = new Beat()
  for (let i = 0; i < 400; i++) beat.enter()
  const rest = beat.rest()
  assert.instance(rest, Promise)
  assert.is(beat.rest(), rest, 'one rest for all')
  await rest
  assert.is.not(beat.rest(), rest, 'and then the next')
})

Rest('the rest ends with the crowd', () => {
  const beat = new Beat()
  for (let i = 0; i < 400; i++) beat.enter()
  for (let i = 0; i < 390; i++) beat.leave()
  assert.is(beat.rest(), undefined)
})

Rest.run()
