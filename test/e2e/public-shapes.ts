/** What the public API answers, field by field, as a client reads it. */

export interface Account {
  readonly wallet: string
  readonly credits_remaining: number
  readonly usdg_value: number
  readonly last_topup_at: string | null
  readonly api_key_created_at: string
}

export interface Usage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
}

export interface Job {
  readonly id: string
  readonly object: 'job'
  readonly status: string
  readonly model: string
  readonly tier: string
  readonly credits_charged: number
  readonly usdg_value: number
  readonly worker_address: string | null
  readonly created_at: string
  readonly completed_at: string | null
  readonly on_chain: {
    readonly escrow_tx: `0x${string}` | null
    readonly settlement_tx: `0x${string}` | null
    readonly escrow_address: string
    readonly block_number: number | null
    readonly proof_hash: string | null
    readonly refund_tx: `0x${string}` | null
    readonly dispute_tx: `0x${string}` | null
  }
  readonly usage: Usage | null
}

export interface Completion {
  readonly id: string
  readonly object: 'chat.completion'
  readonly created: number
  readonly model: string
  readonly choices: readonly [
    {
      readonly index: number
      readonly message: { readonly role: string; readonly content: string }
      readonly finish_reason: string
    },
  ]
  readonly usage: Usage
}

/** The extra object in the last chunk of a stream. */
export interface ServiceObject {
  readonly job_id: string
  readonly escrow_tx: `0x${string}`
  readonly settlement_tx: `0x${string}` | null
  readonly worker: string
  readonly credits_charged: number
  readonly credits_remaining: number
  readonly output_hash: string
}

export interface Chunk {
  readonly id: string
  readonly object: 'chat.completion.chunk'
  readonly created: number
  readonly model: string
  readonly choices: readonly {
    readonly index: number
    readonly delta: { readonly role?: string; readonly content?: string }
    readonly finish_reason: string | null
  }[]
  readonly usage?: Usage | null
  readonly svc?: ServiceObject
}

export interface Refused {
  readonly code: string
  readonly message: string
  readonly type: string
  readonly param: string | null
  readonly docs: string
  readonly details?: Readonly<Record<string, string | number>>
}
