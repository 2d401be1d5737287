import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { commonProtocol } from '../../../src/domain/version.ts'

const Version = suite('versions of the worker protocol')

Version('the highest that both speak', () => {
  const common = (a: [number, number], b: [number, number]) =>
    commonProtocol({ min: a[0], max: a[1] }, { min: b[0], max: b[1] })
  assert.is(common([1, 2], [1, 2]), 2)
  assert.is(common([1, 2], [1, 1]), 1)
  assert.is(common([1, 2], [2, 5]), 2)
  assert.is(common([1, 2], [3, 4]), undefined)
  assert.is(common([3, 4], [1, 2]), undefined)
  assert.is(common([1, 2], [0, 0]), undefined)
})

Version.run()
