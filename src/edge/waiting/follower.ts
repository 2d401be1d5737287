import type { Chunk } from '../../messages/edge.ts'

/** The answer as it takes shape for one caller. */
export interface Follower {
  /** The next piece of text, in order. After `committed` never from the beginning again. */
  onText(text: string, head: Chunk['head']): void
  /** True once the caller has seen some of it: from then on it cannot begin anew. */
  readonly committed: boolean
  onTick(): void
}
