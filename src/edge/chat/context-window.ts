import type { ChatMessage } from '../../domain/chat.ts'

/**
 * More characters than this a token, over a whole prompt, no common tokenizer reaches: the best
 * of them average five or six in prose. Only runs of one character (spaces, dashes) pack tighter,
 * up to 128 a token, so a run counts as one character here. The worker counts exactly; this only
 * spares a caller the way there when the answer is certain.
 */
const CHARACTERS_PER_TOKEN_MAX = 16
/**
 * Runs aside, as above. Counts too few tokens rather than too many, so that an open-ended request
 * is never cut below what the model could answer.
 */
const CHARACTERS_PER_TOKEN_ROUGH = 8

/** True only where the messages cannot fit into `contextWindow` tokens by any count. */
export function cannotFit(messages: readonly ChatMessage[], contextWindow: number): boolean {
  const room = contextWindow * CHARACTERS_PER_TOKEN_MAX
  if (characters(messages) <= room) return false
  return charactersWithoutRuns(messages) > room
}

/** Most tokens an answer could take: what a prompt this long leaves of the window. */
export function roomForAnswer(messages: readonly ChatMessage[], contextWindow: number): number {
  const prompt = Math.ceil(charactersWithoutRuns(messages) / CHARACTERS_PER_TOKEN_ROUGH)
  return Math.max(1, contextWindow - prompt)
}

const characters = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, { content }) => sum + content.length, 0)

const charactersWithoutRuns = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, { content }) => sum + withoutRuns(content), 0)

function withoutRuns(text: string): number {
  let count = 0
  let last = -1
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code !== last) count++
    last = code
  }
  return count
}
