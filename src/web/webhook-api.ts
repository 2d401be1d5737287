/** What the web app’s own API says of webhooks, in the manner of api.ts. */

type Iso = string

/** GET /api/webhooks → {data}; DELETE /api/webhooks/<id> → 204; POST /api/webhooks/<id>/enable → WebWebhook. */
export interface WebWebhook {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly created_at: Iso
  readonly status: 'active' | 'failed'
}
/** POST /api/webhooks {url, events, secret?} */
export interface CreatedWebhook extends WebWebhook {
  /** Made here because none was given, and never shown again; null: the one that was given. */
  readonly secret: string | null
}
/** POST /api/webhooks/<id>/test {event}: on its way; the deliveries tell what came of it. */
export interface TestSent {
  readonly event_id: string
}
/** GET /api/webhooks/<id>/deliveries?failed_only&limit&cursor: newest first. */
export interface DeliveriesPage {
  readonly data: readonly WebDelivery[]
  readonly has_more: boolean
  /** What to give as `cursor` for the next page. */
  readonly next_cursor: string | null
}
/** All attempts of one event at one webhook, or of one replay of it. */
export interface WebDelivery {
  /** Names it among all deliveries of the webhook; an event that was replayed has several. */
  readonly position: string
  readonly event_id: string
  readonly event: string
  readonly status: 'delivered' | 'waiting' | 'failed'
  /** What was sent. */
  readonly body: string
  readonly attempts: readonly {
    readonly attempt: number
    readonly at: Iso
    readonly latency_ms: number
    readonly status: number | null
    readonly error: string | null
    readonly answer_start: string
    readonly delivered: boolean
    readonly next_at: Iso | null
  }[]
}
/** POST /api/webhooks/<id>/replay. `cursor`: `next_cursor` of the answer before, for the same request. */
export type ReplayRequest = (
  | { readonly type: 'one'; readonly event_id: string; readonly position?: string }
  | { readonly type: 'failed' }
  | { readonly type: 'range'; readonly from: Iso; readonly to: Iso }
) & { readonly cursor?: string }
export interface Replayed {
  /** On their way again. */
  readonly events: number
  /** Not null: there is more; ask for the same again with it as `cursor`. */
  readonly next_cursor: string | null
}
