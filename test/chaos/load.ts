import { randomUUID } from 'node:crypto'
import { LONE_MODEL, MODEL } from '../e2e/calls.ts'
import type { MixedCaller } from '../e2e/mixed/callers.ts'
import { pause } from '../until.ts'
import { hasLeft, type Kept, keep, type Question } from './client.ts'

/** Callers that ask again and again, and keep every answer. */
export interface Load {
  readonly kept: readonly Kept[]
  /** Those that were never taken before, to be checked. */
  take(): readonly Kept[]
  /** No more questions; resolves when all that were asked have an end. */
  rest(): Promise<void>
  goOn(): void
}

/** A caller who was refused comes back a little later. */
const REFUSED_PAUSE_MS = 300
const RETRIES = 4

export function startLoad(callers: readonly MixedCaller[], atOnce: number): Load {
  const kept: Kept[] = []
  let [asked, taken] = [0, 0]
  let lanes: Promise<void>[] = []
  let isOver = true

  async function lane(): Promise<void> {
    while (!isOver) {
      const index = asked++
      const caller = callers[index % callers.length]!
      const question = questionOf(index)
      for (let tries = 0; tries <= RETRIES; tries++) {
        const call = await keep(caller, question)
        kept.push(call)
        if (call.got.type === 'whole' || hasLeft(call)) break
        await pause(REFUSED_PAUSE_MS)
        if (question.idempotencyKey === undefined) break
      }
    }
  }

  const goOn = () => {
    isOver = false
    lanes = Array.from({ length: atOnce }, lane)
  }
  goOn()
  return {
    kept,
    take: () => {
      const fresh = kept.slice(taken)
      taken = kept.length
      return fresh
    },
    rest: async () => {
      isOver = true
      await Promise.all(lanes)
    },
    goOn,
  }
}

/** The same index, the same kind: plain and streamed, long and short, to both edges, and leavers. */
function questionOf(index: number): Question {
  const edge = Math.floor(index / 20)
  const base = { edge: edge + (index % 2), model: MODEL }
  const kind = index % 20
  if (kind < 6) return { ...base, what: 'plain', stream: false }
  if (kind < 9) {
    return { ...base, what: 'retried', stream: false, idempotencyKey: randomUUID() }
  }
  if (kind < 14) return { ...base, what: 'stream', stream: true }
  if (kind < 16) return { ...base, what: 'lone', stream: kind === 14, model: LONE_MODEL }
  if (kind < 18) return { ...base, what: 'short', stream: kind === 16, maxTokens: 5 }
  return { ...base, what: 'leaves', stream: kind === 18, leavesAfterMs: (index * 37) % 900 }
}
