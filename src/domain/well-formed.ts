const HALF = /\p{Surrogate}/u
const HALVES = /\p{Surrogate}/gu

/** Whether it has no half of a surrogate pair, which is no character and has no bytes in UTF-8. */
export const isWellFormed = (text: string): boolean => !HALF.test(text)

/** With one replacement character in place of each such half, as browsers do it. */
export const toWellFormed = (text: string): string =>
  isWellFormed(text) ? text : text.replace(HALVES, '\ufffd')
