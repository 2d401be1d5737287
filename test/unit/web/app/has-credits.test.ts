import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hasCredits } from '../../../../src/web/app/pages/overview/has-credits.ts'

const HasCredits = suite('whether a wallet has credits')

const held = (credits: number) => ({ credits, jobs: [] })
const nothing = {
  credits_remaining: 0,
  ...{ locked: held(0), settling: held(0), refunding: held(0) },
}

HasCredits('given some to spend, or some that are only held for a while', () => {
  assert.is(hasCredits({ ...nothing, credits_remaining: 1 }), true)
  for (const state of ['locked', 'settling', 'refunding'] as const) {
    assert.is(hasCredits({ ...nothing, [state]: held(8) }), true, state)
  }
})

HasCredits('given none at all, it has to buy', () => {
  assert.is(hasCredits(nothing), false)
})

HasCredits.run()
