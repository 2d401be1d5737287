import type { Random } from '../world.ts'

/** What may tear a text: more than one byte a character, pairs of units, lines, none at all. */
const WORDS = ['plain ', 'schön ', '漢字', '🙂', '"quoted"', '\n', '\\', 'two words ', '…', '']

/**
 * The pieces of one answer: they name its job and its run, and say its question back, so that a part of
 * another answer is seen for what it is, and one to another question.
 */
export function answerPieces(
  { about, question }: { readonly about: string; readonly question: string },
  count: number,
  random: Random,
): readonly string[] {
  if (count === 0) return []
  const first = `${about}#${Buffer.from(random.bytes(4)).toString('hex')} ${question} `
  return [first, ...Array.from({ length: count - 1 }, (_, i) => `${i}:${random.pick(WORDS)}`)]
}
