import { ask, type Call, hashOf, LONE_MODEL, MODEL } from '../calls.ts'
import { send } from '../customer.ts'
import type { MixedCaller } from './callers.ts'

/** What becomes of a job, in a mix of all that can. */
export interface Ending {
  readonly call: Call
  /** What the wallet said of the answer afterwards; null: nothing. */
  readonly disputed: 'equal' | 'other' | null
}

/** Only a worker that is too slow for the window serves it. */
export const SLOW_MODEL = 'Qwen/Qwen3-14B'
const CHEAP_MODEL = 'Qwen/Qwen3-1.7B'

const SHORT_TOKENS = 40
const DISPUTE_MS = 60_000

/** The `index`-th job of a mix: the same index, the same kind. */
export async function oneJob(caller: MixedCaller, index: number): Promise<Ending> {
  const { network } = caller
  const stream = index % 2 === 0
  const short = { stream, maxTokens: SHORT_TOKENS }
  const kind = index % 100
  // Slow ones come first, so that the end of a mix seldom waits for them.
  if (kind < 3) return undisputed(ask(network, { stream, model: SLOW_MODEL }))
  if (kind < 45) return undisputed(ask(network, short))
  if (kind < 60) return undisputed(ask(network, { stream, model: MODEL }))
  if (kind < 70) return undisputed(ask(network, { stream, model: LONE_MODEL }))
  if (kind < 80) return undisputed(ask(network, { ...short, model: CHEAP_MODEL }))
  if (kind < 84) return undisputed(leaving(caller, (index % 7) * 4))
  if (kind < 88) return undisputed(leaving(caller, null))
  return disputed(caller, kind % 3 === 0 ? 'equal' : 'other')
}

const undisputed = async (call: Promise<Call>): Promise<Ending> => ({
  call: await call,
  disputed: null,
})

/** @param afterMs null: as soon as the answer has begun */
async function leaving({ network }: MixedCaller, afterMs: number | null): Promise<Call> {
  const leave = new AbortController()
  const go = () => leave.abort()
  const timer = afterMs === null ? undefined : setTimeout(go, afterMs)
  const begun = afterMs === null ? { begun: go } : {}
  try {
    return await ask(network, { stream: true, signal: leave.signal, ...begun })
  } finally {
    clearTimeout(timer)
  }
}

async function disputed(caller: MixedCaller, which: 'equal' | 'other'): Promise<Ending> {
  const call = await ask(caller.network, { maxTokens: SHORT_TOKENS })
  if (call.type !== 'whole') return { call, disputed: null }
  const hash = hashOf(which === 'equal' ? call.text : 'something else')
  const deadline = performance.now() + DISPUTE_MS
  for (;;) {
    const said = await send(caller.customer, `/jobs/${call.jobId}/dispute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: { received_output_hash: hash },
    })
    if (said.status === 200) return { call, disputed: which }
    // A chain that is behind makes a 503, after which a client asks again.
    if (said.status < 500 || performance.now() > deadline) {
      throw new Error(`dispute of ${call.jobId}: ${said.status} ${said.text}`)
    }
  }
}
