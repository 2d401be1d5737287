import type { Redis } from 'ioredis'
import type { JobId } from '../domain/ids.ts'
import type { Outputs } from '../ports/outputs.ts'

const answerKey = (jobId: JobId) => `o:${jobId}`
const wordsKey = (jobId: JobId) => `o:${jobId}:words`

/** Answers in Redis; each goes by itself when its time is up. */
export function makeOutputs(redis: Redis): Outputs {
  return {
    putAnswer: async (jobId, text, ttlMs) => {
      await redis.set(answerKey(jobId), text, 'PX', ttlMs)
    },
    answer: async (jobId) => (await redis.get(answerKey(jobId))) ?? undefined,
    putWords: async (jobId, words, ttlMs) => {
      await redis.set(wordsKey(jobId), words, 'PX', ttlMs)
    },
    words: async (jobId) => (await redis.get(wordsKey(jobId))) ?? undefined,
  }
}
