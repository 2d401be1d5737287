import type { Address } from '../domain/ids.ts'
import { LIMITS } from '../domain/limits.ts'
import type { UnixMs } from '../domain/time.ts'

/** The ten events of the specification; a webhook takes any combination of them. */
export const EVENT_TYPES = [
  'job.submitted',
  'job.processing',
  'job.completed',
  'job.failed',
  'job.timeout',
  'job.disputed',
  'credit.low',
  'credit.topup',
  'worker.registered',
  'worker.slashed',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** The version of the envelope. A webhook keeps that of the day it was made. */
export const API_VERSION = '2026-06-01'
export const WEBHOOKS_PER_WALLET = LIMITS.webhooksPerWallet

export type WebhookStatus = 'active' | 'failed'

/** All webhooks of one wallet, as kept in the bucket WEBHOOKS under its address. */
export interface WalletWebhooks {
  /** Newest first. */
  readonly webhooks: readonly WebhookRecord[]
}

export interface WebhookRecord {
  /** `wh_` and 24 letters and digits, of no webhook before it: what is still owed to one finds only that one. */
  readonly id: string
  /** The name of the request that made it; absent in records of earlier versions, where it is `id`. */
  readonly requestName?: string
  readonly url: string
  readonly events: readonly EventType[]
  readonly createdAt: UnixMs
  readonly apiVersion: string
  readonly status: WebhookStatus
  /** When it was last enabled, or something of it replayed: what was owed before says nothing of it. */
  readonly activeSince?: UnixMs
  /** The secret, sealed with the key that only actor hosts hold: src/domain/sealed.ts. */
  readonly sealedSecret: string
}

/** A webhook as others may see it. */
export type WebhookView = Omit<WebhookRecord, 'sealedSecret' | 'activeSince' | 'requestName'>

/**
 * Asked on `SUBJECTS.webhooks` (request, queue group) by edges and the web app. Nobody but the
 * wallet's own caller may ask: who asks has made sure of that.
 */
export type WebhookRequest =
  | CreateWebhook
  | ListWebhooks
  | DeleteWebhook
  | EnableWebhook
  | SendTestEvent
  | ListDeliveries
  | ReplayDeliveries

export interface CreateWebhook {
  readonly type: 'CreateWebhook'
  /**
   * Names the request, chosen by who asks, so that the same one twice makes one webhook: `wh_` and 24
   * characters, since hosts of earlier versions make it the id of the webhook.
   */
  readonly id: string
  readonly wallet: Address
  readonly url: string
  readonly events: readonly EventType[]
  readonly secret: string
}
export interface ListWebhooks {
  readonly type: 'ListWebhooks'
  readonly wallet: Address
}
export interface DeleteWebhook {
  readonly type: 'DeleteWebhook'
  readonly wallet: Address
  readonly webhookId: string
}
/** Makes a failed webhook active again; an active one stays as it is. */
export interface EnableWebhook {
  readonly type: 'EnableWebhook'
  readonly wallet: Address
  readonly webhookId: string
}
/** One delivery of a made-up event of this type, once, whatever the webhook subscribes to. */
export interface SendTestEvent {
  readonly type: 'SendTestEvent'
  readonly wallet: Address
  readonly webhookId: string
  readonly event: EventType
}
/** What became of the deliveries of one webhook, newest first. */
export interface ListDeliveries {
  readonly type: 'ListDeliveries'
  readonly wallet: Address
  readonly webhookId: string
  /** Only those whose last attempt failed. */
  readonly failedOnly: boolean
  /** 1 to 100. */
  readonly limit: number
  /** A `cursor` of the reply before. */
  readonly cursor?: string
}
/** Makes the webhook active and delivers again, with a new count of attempts. */
export interface ReplayDeliveries {
  readonly type: 'ReplayDeliveries'
  readonly wallet: Address
  readonly webhookId: string
  readonly which: Replayed
  /** A `cursor` of the reply before: what is too much for one request goes on here. */
  readonly cursor?: string
}
export type Replayed =
  /** `position`, as in its `DeliveryView`, spares a search. */
  | { readonly type: 'one'; readonly eventId: string; readonly position?: string }
  /** Each event whose delivery failed for good, and which no replay has delivered since. */
  | { readonly type: 'failed' }
  /** Every event of these 30 days that the webhook subscribes to, sent before or not. */
  | { readonly type: 'range'; readonly from: UnixMs; readonly to: UnixMs }

export type WebhookReply =
  | { readonly type: 'webhook'; readonly webhook: WebhookView }
  /** Newest first. */
  | { readonly type: 'webhooks'; readonly webhooks: readonly WebhookView[] }
  | { readonly type: 'deleted'; readonly webhookId: string }
  | { readonly type: 'test_sent'; readonly eventId: string }
  | {
      readonly type: 'deliveries'
      readonly deliveries: readonly DeliveryView[]
      readonly cursor: string | null
    }
  /** `cursor`: there is more; ask for the same again with it. */
  | { readonly type: 'replayed'; readonly events: number; readonly cursor: string | null }
  | { readonly type: 'refused'; readonly refusal: WebhookRefusal }
  /** Nothing is wrong with the request: ask again. */
  | { readonly type: 'unavailable'; readonly reason: string }

export interface WebhookRefusal {
  readonly code:
    | 'invalid_request'
    | 'invalid_webhook_url'
    | 'webhook_not_found'
    | 'webhook_limit_reached'
    | 'delivery_not_found'
    /** Later, the same may be done. */
    | 'rate_limited'
  /** For the person who asked: what was wrong, and what to do. */
  readonly message: string
  /** The field of the request that is wrong. */
  readonly param: string | null
}

/** One event that is owed to one webhook (stream HOOK). The attempt count travels in it. */
export interface Delivery {
  readonly wallet: Address
  readonly webhookId: string
  readonly eventId: string
  readonly eventType: EventType
  /** The envelope, to the byte: the same in every attempt. */
  readonly body: string
  /** From 1. */
  readonly attempt: number
  /** Not before this. */
  readonly dueAt: UnixMs
  /** `test`: one attempt, and its failure says nothing of the webhook. */
  readonly cause: 'event' | 'replay' | 'test'
  /** Tells apart a delivery from a later replay of it: 0 for the first, else when it was asked. */
  readonly round: number
  /**
   * Where the attempts before this one are kept, oldest first: each what `DeliveryHistory.append`
   * returned. Empty with the first.
   */
  readonly earlier: readonly number[]
  /** When it was first owed; absent: `round`. A webhook that was enabled since is not failed by it. */
  readonly since?: UnixMs
}

/** One attempt that was made, kept for 30 days (stream ATTEMPT). */
export interface Attempt {
  readonly wallet: Address
  readonly webhookId: string
  readonly eventId: string
  readonly eventType: EventType
  readonly cause: Delivery['cause']
  readonly round: number
  readonly attempt: number
  readonly at: UnixMs
  readonly latencyMs: number
  /** The HTTP status of the answer; null: there was none, and `error` says why. */
  readonly status: number | null
  readonly error: string | null
  /** The first bytes of the answer, at most 1 KiB, as text. */
  readonly answerStart: string
  readonly delivered: boolean
  /** When the next attempt is due; null: there is none. */
  readonly nextAt: UnixMs | null
  /** As in its delivery. */
  readonly earlier: readonly number[]
  /** What was sent. */
  readonly body: string
}

/** All attempts of one event at one webhook, or of one replay of it. */
export interface DeliveryView {
  /** Names it to `ReplayDeliveries`. */
  readonly position: string
  readonly eventId: string
  readonly eventType: EventType
  readonly status: 'delivered' | 'waiting' | 'failed'
  readonly body: string
  /** Oldest first. */
  readonly attempts: readonly AttemptView[]
}

export type AttemptView = Omit<
  Attempt,
  'wallet' | 'webhookId' | 'eventId' | 'eventType' | 'body' | 'earlier'
>
