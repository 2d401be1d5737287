import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine, Piece } from '../../../src/worker/engine.ts'

/** Has its first word at once, and a word each `tokenMs` after that: what it takes itself is known. */
export function makeEagerEngine(
  model: string,
  { tokens, tokenMs }: { readonly tokens: number; readonly tokenMs: number },
): Engine {
  async function* generate(): AsyncGenerator<Piece, void, void> {
    for (let made = 0; made < tokens; made++) {
      if (made > 0) await sleep(tokenMs)
      yield { text: `word${made} `, tokens: 1 }
    }
    const usage = { promptTokens: 5, completionTokens: tokens }
    yield { text: '', tokens: 0, ending: { finishReason: 'stop', usage } }
  }
  return {
    name: 'eager',
    models: async () => new Map([[model, 0]]),
    generate,
    close: async () => {},
  }
}
