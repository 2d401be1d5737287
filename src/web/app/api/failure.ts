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

/** There was no answer at all. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}
