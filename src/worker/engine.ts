import type { ChatRequest, FinishReason } from '../domain/chat.ts'
import type { Usage } from '../domain/usage.ts'

/** What turns a conversation into text, behind one small interface. */
export interface Engine {
  /** For people. */
  readonly name: string
  /** Model id to context window in tokens (0: not known); empty while there is nothing to serve. */
  models(): Promise<ReadonlyMap<string, number>>
  /**
   * Generates until it is done; the last piece carries the ending. When `signal` aborts it ends
   * soon, one way or another.
   * @throws {EngineFault}
   */
  generate(job: EngineJob, signal: AbortSignal): AsyncIterable<Piece>
  close(): Promise<void>
}

export interface EngineJob extends ChatRequest {
  readonly outputTokensMax: number
}

/** Text as it comes; may be empty where only tokens are to be told. */
export interface Piece {
  readonly text: string
  /** At least so many tokens, and exactly so many where the engine counts them itself. */
  readonly tokens: number
  readonly ending?: EngineEnding
}

export interface EngineEnding {
  readonly finishReason: FinishReason
  readonly usage: Usage
}

/**
 * `context_length` and `invalid_request` are the caller's doing; `engine` is not. `overloaded`: it has no room
 * now, and would do the job at another time.
 */
export type EngineFaultKind = 'context_length' | 'invalid_request' | 'engine' | 'overloaded'

export class EngineFault extends Error {
  /** @param message for the caller where it is the caller's doing, else for the operator */
  constructor(
    readonly kind: EngineFaultKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
