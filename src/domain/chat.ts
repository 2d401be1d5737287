/**
 * A chat request after the edge has checked it: what a worker needs to answer, in the house's own
 * shape. It lives in the edge whose caller waits, and in flight: never stored, journalled or logged.
 */
export interface ChatRequest {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly sampling: Sampling
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** Sampling parameters under their wire names, as given by the caller; absent means not given. */
export interface Sampling {
  readonly temperature?: number
  readonly top_p?: number
  readonly stop?: readonly string[]
  readonly frequency_penalty?: number
  readonly presence_penalty?: number
  readonly seed?: number
}

export const FINISH_REASONS = ['stop', 'length', 'content_filter'] as const
export type FinishReason = (typeof FINISH_REASONS)[number]
