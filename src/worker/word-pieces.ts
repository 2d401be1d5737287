import type { ChatMessage } from '../domain/chat.ts'

const PIECE_UNITS = 6
/** Tokenizers know rules of dashes, equals signs and the like: a token is 16 of them or more. */
const RUN_UNITS = 16
/** Role and separators of one message. */
const MESSAGE_OVERHEAD = 4

/** About how many tokens a conversation is, where no tokenizer is at hand. */
export function countPromptTokens(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + MESSAGE_OVERHEAD + countWordPieces(content), 0)
}

/**
 * Counts word pieces: a word is one for each six letters or digits, a mark is one, but a run of the
 * same mark is one for each sixteen; white space is none. One pass without a copy, since prompts
 * reach 4 MiB.
 */
function countWordPieces(text: string): number {
  let pieces = 0
  // Of the word or the run of marks that goes on.
  let units = 0
  let before = NOTHING
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    const kind = isWordUnit(unit) ? WORD : isSpace(unit) ? NOTHING : unit
    if (kind !== before) units = 0
    before = kind
    if (kind === NOTHING) continue
    if (units++ % (kind === WORD ? PIECE_UNITS : RUN_UNITS) === 0) pieces++
  }
  return pieces
}

const NOTHING = -1
const WORD = -2
const isSpace = (unit: number): boolean => unit === 32 || (unit >= 9 && unit <= 13)
const isWordUnit = (unit: number): boolean =>
  (unit >= 97 && unit <= 122) ||
  (unit >= 65 && unit <= 90) ||
  (unit >= 48 && unit <= 57) ||
  unit > 127
