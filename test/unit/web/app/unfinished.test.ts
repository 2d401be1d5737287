import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  forgetUnfinished,
  keepUnfinished,
  leaveUnfinished,
  resumeUnfinished,
  unfinishedOf,
} from '../../../../src/web/app/session/unfinished.ts'

const Unfinished = suite('what a session leaves unfinished')

Unfinished.before.each(forgetUnfinished)

Unfinished('is there again for the wallet that left it', () => {
  keepUnfinished('form', { url: 'https://example.com' })
  leaveUnfinished('0xa')
  resumeUnfinished('0xa')
  assert.equal(unfinishedOf('form'), { url: 'https://example.com' })
  keepUnfinished('form', undefined)
  assert.is(unfinishedOf('form'), undefined)
})

Unfinished('is gone once another wallet signs in, for the first one, too', () => {
  keepUnfinished('form', 'a secret')
  leaveUnfinished('0xa')
  resumeUnfinished('0xb')
  assert.is(unfinishedOf('form'), undefined)
  leaveUnfinished('0xb')
  resumeUnfinished('0xa')
  assert.is(unfinishedOf('form'), undefined)
})

Unfinished.run()
