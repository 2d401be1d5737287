/**
 * The one rule for numbers that people type or paste. Commas and spaces are taken between thousands
 * alone, where this app writes them: whoever means a fraction by "1,5" must not get 15. What is not
 * clear is no number, and the field says so.
 */

const NUMBER = /^(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?:[ \u00a0\u202f]\d{3})+|\d+)(?:\.\d+)?$/
/** Every such number is exact in JavaScript. */
const DIGITS_MAX = 15

/** As digits with at most one point, such as 12500.5; undefined: no number from 0 up. */
export function plainNumber(text: string): string | undefined {
  const typed = westernDigits(text).trim()
  if (!NUMBER.test(typed)) return undefined
  const plain = typed.replaceAll(/[,\s]/g, '').replace(/^0+(?=\d)/, '')
  return (plain.split('.')[0] ?? '').length <= DIGITS_MAX ? plain : undefined
}

/** Undefined: no whole number. */
export function wholeNumber(text: string): number | undefined {
  const plain = plainNumber(text)
  return plain === undefined || plain.includes('.') ? undefined : Number(plain)
}

/** From full-width, Arabic and Persian ones: the last four bits of each are its value. */
const westernDigits = (text: string): string =>
  text.replace(/[０-９٠-٩۰-۹]/g, (digit) => `${digit.charCodeAt(0) & 0xf}`)
