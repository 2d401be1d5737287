import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { missingCredits } from '../../../../src/web/app/parts/missing-credits.ts'

const Missing = suite('what a transfer lacks to be credited')

Missing('below the smallest purchase it waits for the rest', () => {
  assert.is(missingCredits(40, 100), 60)
  assert.is(missingCredits(99, 100), 1)
})

Missing('nothing, or enough: nobody has to send more', () => {
  for (const arrived of [0, 100, 250]) assert.is(missingCredits(arrived, 100), 0)
})

Missing.run()
