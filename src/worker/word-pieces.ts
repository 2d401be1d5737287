import type { ChatMessage } from '../domain/chat.ts'

const PIECE_UNITS = 6
/** Role and separators of one message. */
const MESSAGE_OVERHEAD = 4

/** About how many tokens a conversation is, where no tokenizer is at hand. */
export function countPromptTokens(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + MESSAGE_OVERHEAD + countWordPieces(content), 0)
}

/**
 * Counts word pieces: a word is one for each six letters or digits, each other mark is one, white
 * space is none. One pass without a copy, since prompts reach 4 MiB.
 */
export function countWordPieces(text: string): number {
  let pieces = 0
  let wordUnits = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (isWordUnit(unit)) {
      if (wordUnits++ % PIECE_UNITS === 0) pieces++
    } else {
      wordUnits = 0
      if (!isSpace(unit)) pieces++
    }
  }
  return pieces
}

const isSpace = (unit: number): boolean => unit === 32 || (unit >= 9 && unit <= 13)
const isWordUnit = (unit: number): boolean =>
  (unit >= 97 && unit <= 122) ||
  (unit >= 65 && unit <= 90) ||
  (unit >= 48 && unit <= 57) ||
  unit > 127
