import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { unitsOfText } from '../../../../src/web/app/parts/token-units.ts'
import { plainNumber, wholeNumber } from '../../../../src/web/app/parts/typed-number.ts'

const Typed = suite('numbers that people type')

Typed('a whole number, however its thousands and its digits are written', () => {
  for (const [text, value] of [
    ...[['0', 0] as const, ['100', 100] as const, [' 100 ', 100] as const, ['007', 7] as const],
    ...[['1,000', 1_000] as const, ['1 000 000', 1_000_000] as const],
    ...[['1\u00a0000', 1_000] as const, ['1\u202f000', 1_000] as const],
    ...[['１００', 100] as const, ['١٠٠', 100] as const, ['۱۲۳', 123] as const],
    ['999999999999999', 999_999_999_999_999],
  ] as const) {
    assert.is(wholeNumber(text), value, text)
  }
})

Typed('what is not clearly a whole number is none: no part of it is dropped', () => {
  const fractions = ['1.5', '1,5', '1.000', '1.0', '1,000.50', '10,00', '1.', '.5']
  const others = [
    '',
    ' ',
    '-5',
    '+5',
    '1e3',
    '0x10',
    '1_000',
    '100 credits',
    '$5',
    '½',
    '10²',
    '٫٥',
    '∞',
  ]
  const groups = ['1,00,000', '1,000 000', ',100', '1000,000', '1,,000', '1  000', '1\n000']
  for (const text of [...fractions, ...others, ...groups, '1'.repeat(16)]) {
    assert.is(wholeNumber(text), undefined, JSON.stringify(text))
  }
})

Typed('a number with a fraction keeps all of its digits', () => {
  assert.is(plainNumber('12,500.5'), '12500.5')
  assert.is(plainNumber('1.000'), '1.000')
  assert.is(plainNumber('1,5'), undefined)
  assert.is(unitsOfText('2.5'), 2_500_000_000_000_000_000n)
  assert.is(unitsOfText(`0.${'0'.repeat(17)}1`), 1n)
  for (const text of ['2,5', '0', '0.0', '-1', '1e3', `0.${'0'.repeat(18)}1`]) {
    assert.is(unitsOfText(text), undefined, text)
  }
})

Typed.run()
