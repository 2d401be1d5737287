import type { Redis } from 'ioredis'
import { pack, unpack } from 'msgpackr'
import type { ChatRequest } from '../domain/chat.ts'
import type { Address, JobId } from '../domain/ids.ts'
import type { Outputs } from '../ports/outputs.ts'

export const promptKey = (wallet: Address, jobId: JobId) => `p:{${wallet}}:${jobId}`
const answerKey = (jobId: JobId) => `o:${jobId}`
const wordsKey = (jobId: JobId) => `o:${jobId}:words`

export const packPrompt = (prompt: ChatRequest): Buffer => pack(prompt)

/** Prompts and answers in Redis; each goes by itself when its time is up. */
export function makeOutputs(redis: Redis): Outputs {
  return {
    prompt: async (wallet, jobId) => {
      const packed = await redis.getBuffer(promptKey(wallet, jobId))
      return packed ? (unpack(packed) as ChatRequest) : undefined
    },
    deletePrompt: async (wallet, jobId) => {
      await redis.unlink(promptKey(wallet, jobId))
    },
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
