/**
 * What a count of output tokens must fit to be believed. No honest tokenizer breaks these bounds: they
 * are there for counts that are made up.
 */

/** Tokens that leave no text: ends of turns, a stop sequence that is cut off, white space trimmed. */
const SILENT_TOKENS = 256
/** The longest tokens of today's vocabularies are runs of 128 spaces. */
const UNITS_PER_TOKEN = 256
/** An upstream that tells no usage may send a good deal of text as what looks like one token. */
const SPARE_UNITS = 65_536

/** A token of text is a byte at the least. Above this, the caller would pay for nothing. */
export const mostTokensOf = (text: string): number => Buffer.byteLength(text) + SILENT_TOKENS

/** The longest text of so many tokens, in UTF-16 units. Above this, somebody does not pay. */
export const mostUnitsOf = (tokens: number): number => SPARE_UNITS + tokens * UNITS_PER_TOKEN
