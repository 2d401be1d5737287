/** What /api refused, as its envelope says it. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  readonly status: number
  readonly code: string
  readonly param: string | null
  readonly docs: string | null
  readonly requestId: string | null

  constructor(
    message: string,
    refusal: {
      readonly status: number
      readonly code: string
      readonly param?: string | null
      readonly docs?: string | null
      readonly requestId?: string | null
    },
  ) {
    super(message)
    this.status = refusal.status
    this.code = refusal.code
    this.param = refusal.param ?? null
    this.docs = refusal.docs ?? null
    this.requestId = refusal.requestId ?? null
  }
}

/** Somebody signed in, and the browser did not keep the session's cookie. */
export class NoCookie extends Error {
  override readonly name = 'NoCookie'
}

/** There was no answer at all. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
  /** What was asked for may have been done all the same. */
  readonly wasSent: boolean
  /** It would have moved credits, or spent them: balance and history tell. */
  readonly isMoney: boolean

  constructor(
    message: string,
    options: { readonly wasSent: boolean; readonly isMoney?: boolean; readonly cause?: unknown },
  ) {
    super(message, options)
    this.wasSent = options.wasSent
    this.isMoney = options.isMoney ?? false
  }
}
