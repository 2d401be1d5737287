import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { unreachable } from '../../../src/domain/result.ts'

/** What another version may say, and this one does not know. */
const Unreachable = suite('unreachable')

const thrown = (value: unknown): string => {
  try {
    unreachable(value as never)
  } catch (error) {
    return (error as Error).message
  }
}

Unreachable('names what it is, and shows nothing of what it holds', () => {
  const offer = { type: 'OfferJobs', prompt: 'a secret', lock: 5n }
  assert.is(thrown(offer), 'unreachable: OfferJobs')
  assert.is(thrown({ status: 'paused', terms: {} }), 'unreachable: paused')
  assert.is(thrown('job.paused'), 'unreachable: job.paused')
  for (const nameless of [null, undefined, {}]) assert.match(thrown(nameless), /^unreachable: /)
})

Unreachable.run()
