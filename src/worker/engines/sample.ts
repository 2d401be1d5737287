import { randomBytes } from 'node:crypto'
import { type Engine, EngineFault, type EngineJob, type Piece } from '../engine.ts'
import { StopText } from '../stop-text.ts'
import { countPromptTokens } from '../word-pieces.ts'
import { drawFrom, sampleTokens } from './sample-text.ts'

export interface SampleOptions {
  /** Ids, with the context in tokens that is kept to; 0: any. */
  readonly models: readonly { readonly id: string; readonly contextWindow: number }[]
  /** About how long an answer is: from two thirds of this to four thirds. */
  readonly tokens: number
  /** Time a token takes; 0: as fast as it can. */
  readonly tokenMs: number
}

/** Tokens a turn of the event loop when unpaced, so that other jobs get their turn too. */
const BURST_TOKENS = 16

/**
 * Serves any model without having one, to try a network out. The same seed, or
 * temperature 0, gives the same answer to the same conversation.
 */
export function makeSampleEngine(options: SampleOptions): Engine {
  const windows = new Map(options.models.map(({ id, contextWindow }) => [id, contextWindow]))
  return {
    name: 'sample',
    models: async () => windows,
    generate: (job, signal) => generate(job, signal, windows.get(job.model) ?? 0, options),
    close: async () => {},
  }
}

async function* generate(
  job: EngineJob,
  signal: AbortSignal,
  contextWindow: number,
  options: SampleOptions,
): AsyncGenerator<Piece, void, void> {
  const promptTokens = countPromptTokens(job.messages)
  const room = contextWindow === 0 ? Infinity : contextWindow - promptTokens
  if (room <= 0) {
    throw new EngineFault(
      'context_length',
      `the messages are about ${promptTokens} tokens, the context of ${job.model} is ${contextWindow}`,
    )
  }
  const draw = drawFrom(seedOf(job))
  const wanted = Math.ceil((options.tokens * 2) / 3) + draw(Math.ceil((options.tokens * 2) / 3) + 1)
  const most = Math.min(job.outputTokensMax, room)
  const tokens = sampleTokens(draw)
  const stop = new StopText(job.sampling.stop ?? [])
  const startedMs = performance.now()
  let made = 0
  let stopped = false
  while (!stopped && !signal.aborted && made < wanted && made < most) {
    const due = await tokensDue(made, startedMs, options.tokenMs, signal)
    let text = ''
    let count = 0
    while (!stopped && count < due && made < wanted && made < most) {
      const passed = stop.push(tokens.next().value)
      text += passed.text
      stopped = passed.stopped
      made++
      count++
    }
    yield { text, tokens: count }
  }
  const finishReason = stopped || made === wanted ? 'stop' : 'length'
  const usage = { promptTokens, completionTokens: made }
  yield { text: stopped ? '' : stop.end(), tokens: 0, ending: { finishReason, usage } }
}

/** Waits for the next token's time. A late wake-up finds more than one due. */
async function tokensDue(
  made: number,
  startedMs: number,
  tokenMs: number,
  signal: AbortSignal,
): Promise<number> {
  if (tokenMs === 0) {
    await new Promise<void>((resolve) => setImmediate(resolve))
    return BURST_TOKENS
  }
  const waitMs = startedMs + (made + 1) * tokenMs - performance.now()
  // A wake-up that comes too late has nothing to wait for; newer Nodes warn of a time below zero.
  await sleep(Math.max(0, waitMs), signal)
  return Math.max(1, Math.floor((performance.now() - startedMs) / tokenMs) - made)
}

function seedOf({ model, messages, sampling }: EngineJob): string {
  const repeatable = sampling.seed !== undefined || sampling.temperature === 0
  const chance = repeatable ? String(sampling.seed ?? '') : randomBytes(16).toString('hex')
  return JSON.stringify([model, chance, messages.map(({ role, content }) => [role, content])])
}

// Listening for the signal costs more than a token, so short waits are simply waited out.
const UNHEARD_MS = 50

function sleep(spanMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (spanMs <= UNHEARD_MS) {
      setTimeout(resolve, spanMs)
      return
    }
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, spanMs)
    signal.addEventListener('abort', done)
  })
}
