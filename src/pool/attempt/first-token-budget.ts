import type { ChatRequest } from '../../domain/chat.ts'
import type { DurationMs } from '../../domain/time.ts'

const LEAST_MS = 2_000
/** How often a worker may be this many times slower than it mostly is. */
const TIMES_MEDIAN = 3
/** Of a worker that has shown nothing yet: it may have a model to load. */
const UNKNOWN_MS = 5_000
const PER_PROMPT_TOKEN_MS = 1
const UNITS_PER_TOKEN = 4

export interface Expected {
  /** Time to first token of this worker and model; undefined before the first. */
  readonly medianMs: number | undefined
  readonly promptTokens: number
  /** Until the deadline. */
  readonly leftMs: DurationMs
}

/**
 * How long a worker may take to its first text before a second one is asked as well. At most half of
 * the time that is left, so that the second has as much.
 */
export function firstTokenBudgetMs({ medianMs, promptTokens, leftMs }: Expected): DurationMs {
  const usual = medianMs === undefined ? UNKNOWN_MS : TIMES_MEDIAN * medianMs
  const budgetMs = Math.max(LEAST_MS, usual) + promptTokens * PER_PROMPT_TOKEN_MS
  return Math.max(0, Math.min(budgetMs, leftMs / 2))
}

/** About how many tokens a prompt is. */
export const promptTokensOf = ({ messages }: ChatRequest): number =>
  Math.ceil(messages.reduce((units, { content }) => units + content.length, 0) / UNITS_PER_TOKEN)
