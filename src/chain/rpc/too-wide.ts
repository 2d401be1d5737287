const METHOD = 'eth_getLogs'
/** Bad request, request timeout, too large, unprocessable; of gateways: timeouts. */
const STATUSES: ReadonlySet<number> = new Set([400, 408, 413, 422, 504, 524])
/** Of undici: connected, and nothing came in time. */
const TIMEOUTS: ReadonlySet<unknown> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])

/** Whether an answer that is none in JSON may be one to a range of blocks that is too wide: asked for less, it may differ. */
export const isTooWide = (method: string, status: number): boolean =>
  method === METHOD && STATUSES.has(status)

/** The same of a range that takes the node too long. A node that is away does not answer for its head either. */
export const takesTooLong = (method: string, error: unknown): boolean =>
  method === METHOD && error instanceof Error && 'code' in error && TIMEOUTS.has(error.code)
