import { HOST_CONFIG } from '../host-config.ts'
import type { Random } from '../world.ts'

/** What one caller is going to do. */
export interface CallPlan {
  readonly model: string
  readonly stream: boolean
  readonly maxTokens: number | undefined
  /** How its retries are known: by a key, by their count, or not at all. */
  readonly retries: 'named' | 'counted' | 'none'
  readonly triesMax: number
  /** It sends the same twice at once, as a client does that lost patience. */
  readonly impatient: boolean
  /** Closes the connection after so long; undefined: waits. */
  readonly hangsUpAfterMs: number | undefined
  readonly dispute: 'no' | 'agrees' | 'differs' | 'late' | 'twice'
  readonly disputeAfterMs: number
}

/** Workers say it back, so that an answer to somebody else's question is seen for what it is. */
export const questionOf = (caller: string): string => `What would ${caller} like to know?`

const DISPUTE_WINDOW_MS = HOST_CONFIG.DISPUTE_WINDOW_SECONDS * 1_000

export function planCall(models: readonly string[], random: Random): CallPlan {
  const dispute = random.chance(0.3)
    ? random.pick(['agrees', 'differs', 'differs', 'late', 'twice'] as const)
    : 'no'
  return {
    model: random.pick(models),
    stream: random.chance(0.5),
    maxTokens: random.pick([undefined, undefined, 1, 200, 900]),
    retries: random.pick(['named', 'named', 'counted', 'none']),
    triesMax: random.between(1, 4),
    impatient: random.chance(0.1),
    hangsUpAfterMs: random.chance(0.15) ? random.between(1, 8_000) : undefined,
    dispute,
    disputeAfterMs:
      dispute === 'late'
        ? DISPUTE_WINDOW_MS + 2_000
        : random.pick([0, 100, 3_000, DISPUTE_WINDOW_MS - 2_000]),
  }
}
