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
/** The words of Alchemy, Infura, QuickNode, Chainstack, dRPC, Base and others; their numbers all differ. */
const WORDS =
  /rate.?limit|too many request|request (rate|limit|count)|concurrent requests|per second|\/second|\brps\b|throttl|\b429\b/i

/**
 * Whether a provider has had too many questions for now. Of logs, -32005 alone may say as well that a range is
 * too wide, which no waiting helps.
 */
export function isAskedTooMuch({ method, status, refusal }: Answer): boolean {
  if (status === TOO_MANY_REQUESTS) return true
  if (!refusal) return false
  const { code, reason } = refusal
  if (code === TOO_MANY_REQUESTS || WORDS.test(reason)) return true
  return code === LIMIT_EXCEEDED && method !== 'eth_getLogs'
}
