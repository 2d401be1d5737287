import { randomBytes } from 'node:crypto'
import type { Sampling } from '../../domain/chat.ts'
import type { EvaluateOptions, Token } from './llama-package.ts'

/** What llama.cpp's own server takes where a request says nothing. */
const DEFAULTS = { temperature: 0.8, topP: 0.95, topK: 40, minP: 0.05 } as const

/** The penalties look back so far. Each token of it is counted again at each step. */
const PENALTY_TOKENS = 1_024

/** @param generated grows as the answer does */
export function evaluateOptions(sampling: Sampling, generated: readonly Token[]): EvaluateOptions {
  const frequencyPenalty = sampling.frequency_penalty ?? 0
  const presencePenalty = sampling.presence_penalty ?? 0
  return {
    ...DEFAULTS,
    temperature: sampling.temperature ?? DEFAULTS.temperature,
    topP: sampling.top_p ?? DEFAULTS.topP,
    seed: sampling.seed === undefined ? randomBytes(4).readUInt32LE() : seedOf(sampling.seed),
    ...(frequencyPenalty === 0 && presencePenalty === 0
      ? {}
      : {
          repeatPenalty: {
            penalty: 1,
            frequencyPenalty,
            presencePenalty,
            maxPunishTokens: PENALTY_TOKENS,
            punishTokens: () => generated.slice(-PENALTY_TOKENS),
          },
        }),
  }
}

/** Callers give any whole number, llama.cpp takes 32 bits. */
const seedOf = (seed: number): number => Number(BigInt.asUintN(32, BigInt(seed)))
