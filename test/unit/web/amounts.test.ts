import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { wholeTokens } from '../../../src/web/network/amounts.ts'

const Amounts = suite('web amounts')

Amounts('whole tokens are exact, whatever their size', () => {
  const one = 10n ** 18n
  assert.equal([0n, 1n, one / 2n, one, one + 1n, 1_234_567_890_123n * one].map(wholeTokens), [
    '0',
    '0.000000000000000001',
    '0.5',
    '1',
    '1.000000000000000001',
    '1234567890123',
  ])
})

Amounts.run()
