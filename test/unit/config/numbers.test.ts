import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { positiveNumber, readConfig, wholeNumber } from '../../../src/config/read.ts'

const Numbers = suite('settings that are numbers')

const SCHEMA = z.object({
  SLOTS: wholeNumber(4, 1, 64),
  JOBS: wholeNumber(0),
  SHARE: positiveNumber(1),
})

function refusalOf(env: Record<string, string>): string {
  try {
    readConfig(SCHEMA, env)
  } catch (error) {
    return (error as Error).message.split('\n').slice(1).join('\n')
  }
  return assert.unreachable() as never
}

Numbers('what is none is told what it should be, once', () => {
  for (const wrong of ['four', '1.5', '-1.5', '0', '65', '1e99', 'Infinity']) {
    assert.is(refusalOf({ SLOTS: wrong }), '  SLOTS: must be a whole number, 1 to 64', wrong)
  }
  assert.is(refusalOf({ JOBS: '-1' }), '  JOBS: must be a whole number, 0 or more')
  for (const wrong of ['0', 'half', '-2']) {
    assert.is(refusalOf({ SHARE: wrong }), '  SHARE: must be a number above 0', wrong)
  }
})

Numbers('what is right is read, and what is not said has its default', () => {
  assert.equal(readConfig(SCHEMA, { SLOTS: '64', SHARE: '0.5' }), {
    SLOTS: 64,
    JOBS: 0,
    SHARE: 0.5,
  })
  assert.equal(readConfig(SCHEMA, {}), { SLOTS: 4, JOBS: 0, SHARE: 1 })
})

Numbers.run()
