/** What a node, or whoever stands before it, answered and to what. */
interface Answer {
  readonly method: string
  /** Of HTTP. */
  readonly status: number
  readonly refusal: { readonly code: number; readonly reason: string } | undefined
}

const TOO_MANY_REQUESTS = 429
/** EIP-1474: a request exceeds a limit, of whatever kind. */
const LIMIT_EXCEEDED = -32_005
/** Where it may be a limit that no waiting helps: a range that is too wide; more gas than a block has (Besu). */
const LIMITED: ReadonlySet<string> = new Set(['eth_getLogs', 'eth_sendRawTransaction'])
/** The words of Alchemy, Infura, QuickNode, Chainstack, dRPC, Base and others; their numbers all differ. */
const WORDS =
  /rate.?limit|too many request|request (rate|limit|count)|concurrent requests|per sec|\/sec|\brps\b|throttl|(exceeded|reached) the quota/i
/** Told as that of HTTP: a nonce or a block may have the same. */
const NUMBER = /^429\b|(http|status|code|error|response)\W{0,3}429\b/i

/** Whether a provider has had too many questions for now. */
export function isAskedTooMuch({ method, status, refusal }: Answer): boolean {
  if (status === TOO_MANY_REQUESTS) return true
  if (!refusal) return false
  const { code, reason } = refusal
  if (code === TOO_MANY_REQUESTS || WORDS.test(reason) || NUMBER.test(reason)) return true
  return code === LIMIT_EXCEEDED && !LIMITED.has(method)
}
