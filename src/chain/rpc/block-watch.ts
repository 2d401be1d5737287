import type { Log } from '../../telemetry/log.ts'
import type { Rpc } from './json-rpc.ts'

export interface BlockWatch {
  /** Calls soon after the chain's head has moved, either way. The returned function ends it. */
  onBlock(call: () => void): () => void
  close(): void
}

const POLL_MIN_MS = 50
const POLL_MAX_MS = 1_000
/** A node that mines at each transaction has no rhythm: under load, several blocks are noticed at a time. */
const AUTOMINE_POLL_MS = 100
/** Of the interval between blocks: so late is a block noticed on average, twice over. */
const SHARE_OF_INTERVAL = 10

/**
 * Asks for the head's number, about ten times a block, while anybody listens. Nobody waits for an answer
 * on it; the questions were most of what a host does that has nothing to do.
 */
export function makeBlockWatch(rpc: Rpc, log: Log): BlockWatch {
  const calls = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  let polling = false
  let automine: boolean | undefined
  let head: number | undefined
  /** The highest head so far. A node that lags, and then another's word, make no block. */
  let newest: { readonly number: number; readonly at: number } | undefined
  let intervalMs = POLL_MIN_MS * SHARE_OF_INTERVAL

  const waitMs = () =>
    automine
      ? AUTOMINE_POLL_MS
      : Math.min(POLL_MAX_MS, Math.max(POLL_MIN_MS, intervalMs / SHARE_OF_INTERVAL))

  const look = async () => {
    const number = Number(await rpc.call<string>('eth_blockNumber', []))
    // Afterwards: a node that is away is none that says no.
    automine ??= await isAutomine(rpc)
    if (number === head) return
    head = number
    learn(number)
    for (const call of calls) call()
  }

  const learn = (number: number) => {
    if (newest && number <= newest.number) return
    const now = performance.now()
    if (newest) {
      // Weighted: one late block must not make all later ones late.
      intervalMs += ((now - newest.at) / (number - newest.number) - intervalMs) / 4
    }
    newest = { number, at: now }
  }

  const poll = () => {
    timer = undefined
    polling = true
    look()
      .then(waitMs, (error: unknown) => {
        // Whoever listens also asks by itself, and tells of a node that is down, or has had too many questions.
        log.debug({ err: error }, 'chain: head not read')
        return POLL_MAX_MS
      })
      .then((delayMs) => {
        polling = false
        schedule(delayMs)
      })
  }
  const schedule = (delayMs: number) => {
    if (calls.size > 0 && !timer && !polling) timer = setTimeout(poll, delayMs)
  }
  const rest = () => {
    if (calls.size > 0) return
    clearTimeout(timer)
    timer = undefined
  }

  return {
    onBlock: (call) => {
      calls.add(call)
      schedule(0)
      return () => {
        calls.delete(call)
        rest()
      }
    },
    close: () => {
      calls.clear()
      rest()
    },
  }
}

/**
 * Only a local development node knows the method. Whoever stands before another one may refuse it in any
 * words, with a page for people among them: only whoever answers with yes is such a node.
 */
const isAutomine = (rpc: Rpc): Promise<boolean> =>
  rpc.call<unknown>('anvil_getAutomine', []).then(
    (answer) => answer === true,
    () => false,
  )
