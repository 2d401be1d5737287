import type { Chunk } from '../../messages/edge.ts'
import type { Follower } from './follower.ts'

/** All who wait for one job in this edge. */
export class Followers {
  readonly #all = new Set<Follower>()

  get any(): boolean {
    return this.#all.size > 0
  }

  /** Whether some caller has seen some of the answer. */
  get committed(): boolean {
    for (const follower of this.#all) if (follower.committed) return true
    return false
  }

  /** @returns ends it */
  add(follower: Follower): () => void {
    this.#all.add(follower)
    return () => this.#all.delete(follower)
  }

  say(text: string, head: Chunk['head']): void {
    for (const follower of this.#all) follower.onText(text, head)
  }

  tick(): void {
    for (const follower of this.#all) follower.onTick()
  }
}
