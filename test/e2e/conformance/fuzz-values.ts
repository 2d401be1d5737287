import fc from 'fast-check'

/** Values that nobody means to send. */

/** In every prompt that is fuzzed; no refusal may repeat it. */
export const SECRET = 'zq7-nobody-may-repeat-this'

/** Any UTF-16, lone surrogates and control characters among it. */
export const anyText = fc.string({
  unit: fc
    .oneof(
      { weight: 4, arbitrary: fc.integer({ min: 0x20, max: 0x7e }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xffff }) },
      { weight: 1, arbitrary: fc.integer({ min: 0xd800, max: 0xdfff }) },
    )
    .map((code) => String.fromCharCode(code)),
  maxLength: 60,
})

const longText = fc
  .record({
    piece: fc.constantFrom('a', 'ab ', ' ', '\n', '世', '\ud83d', '"\\'),
    times: fc.nat(9_000),
  })
  .map(({ piece, times }) => piece.repeat(times))

export const text = fc.oneof(
  { weight: 5, arbitrary: anyText },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 1, arbitrary: longText },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '\u0000', '\ufeff', '\u2028', '__proto__') },
)

const anyNumber = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 1, -1, 0.5, 1e300, -1e300, 5e-324, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 53)),
)

const nested = fc.record({ depth: fc.nat(40), isArray: fc.boolean() }).map(({ depth, isArray }) => {
  let value: unknown = 0
  for (let i = 0; i < depth; i++) value = isArray ? [value] : { deeper: value }
  return value
})

const names = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'length',
  '',
  'role',
  'type',
)
const oddObject = fc.dictionary(fc.oneof(names, anyText), fc.oneof(text, anyNumber), { maxKeys: 4 })

/** Of any kind but the right one, most of the time. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false, [], {}, [null], [[]], '', '0', 'null'),
  anyNumber,
  text,
  fc.jsonValue({ maxDepth: 3 }),
  oddObject,
  nested,
)

/** Just inside and just outside of a bounded field. */
export const around = (least: number, most: number, step: number): fc.Arbitrary<number> =>
  fc.constantFrom(
    ...[least, most].flatMap((edge) => [edge - step, edge, edge + step]),
    (least + most) / 2,
  )
