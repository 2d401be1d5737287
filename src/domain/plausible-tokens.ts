import type { ChatMessage } from './chat.ts'

/**
 * What a count of tokens must fit to be believed. No honest tokenizer breaks these bounds: they
 * are there for counts that are made up.
 */

/** Tokens that leave no text: ends of turns, a stop sequence that is cut off, white space trimmed. */
const SILENT_TOKENS = 256
/** The longest tokens of today's vocabularies are runs of 128 spaces. */
const UNITS_PER_TOKEN = 256
/** An upstream that tells no usage may send a good deal of text as what looks like one token. */
const SPARE_UNITS = 65_536
/** An upstream that deals its text out by the character: a token is four of them, mostly. */
const CHUNKS_PER_TOKEN = 16
/** What a chat template puts around a message: a role, and the marks of its beginning and end. */
const TEMPLATE_TOKENS_PER_MESSAGE = 64
/** What a template puts before and after all of them: a system prompt of the model's makers, at the most. */
const TEMPLATE_TOKENS = 4_096

/** A token of text is a byte at the least. Above this, the caller would pay for nothing. */
export const mostTokensOf = (text: string): number => Buffer.byteLength(text) + SILENT_TOKENS

/** The longest text of so many tokens, in UTF-16 units. Above this, somebody does not pay. */
export const mostUnitsOf = (tokens: number): number => SPARE_UNITS + tokens * UNITS_PER_TOKEN

/** The most pieces that the text of so many tokens comes in, with empty ones of those that leave none. */
export const mostChunksOf = (tokens: number): number => SPARE_UNITS + tokens * CHUNKS_PER_TOKEN

/** The most that a prompt can be, as the model reads it. Above this, the figure is made up. */
export const mostPromptTokensOf = (messages: readonly Pick<ChatMessage, 'content'>[]): number =>
  messages.reduce(
    (tokens, { content }) => tokens + Buffer.byteLength(content) + TEMPLATE_TOKENS_PER_MESSAGE,
    TEMPLATE_TOKENS,
  )
