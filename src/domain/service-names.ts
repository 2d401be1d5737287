import { assert } from './result.ts'

/** What a service is called whose operator names nothing. */
export const DEFAULT_PREFIX = 'svc'

/** Every public name that the prefix is part of. Made once, at start. */
export interface ServiceNames<Prefix extends string = string> {
  readonly prefix: Prefix
  /** Of the extra object in a model and in the last chunk of a stream. */
  readonly object: Prefix
  /** How that object begins in a JSON text, so that no request puts it together. */
  readonly objectField: `"${Prefix}":`
  /** Of answers (specification, POST /chat/completions). */
  readonly headers: HeaderNames<Prefix>
  /** What an API key begins with; `KEY_LENGTH` letters and digits follow. */
  readonly keyStart: `${Prefix}_live_`
  readonly keyPattern: RegExp
  /** Header of a webhook's delivery (specification, Events, Signature). */
  readonly signature: string
}

export interface HeaderNames<Prefix extends string = string> {
  readonly jobId: `x-${Prefix}-job-id`
  readonly escrowTx: `x-${Prefix}-tx-hash`
  readonly settlementTx: `x-${Prefix}-settlement-tx`
  readonly worker: `x-${Prefix}-worker`
  readonly creditsRemaining: `x-${Prefix}-credits-remaining`
  readonly traceId: `x-${Prefix}-trace-id`
}

export const KEY_LENGTH = 32

/** @param prefix one that `whyNoPrefix` has nothing against */
export function serviceNames<const Prefix extends string>(prefix: Prefix): ServiceNames<Prefix> {
  const why = whyNoPrefix(prefix)
  assert(why === undefined, `the service prefix ${prefix} ${why}`)
  const header = <Name extends string>(name: Name) => `x-${prefix}-${name}` as const
  return {
    prefix,
    object: prefix,
    objectField: `"${prefix}":`,
    headers: {
      jobId: header('job-id'),
      escrowTx: header('tx-hash'),
      settlementTx: header('settlement-tx'),
      worker: header('worker'),
      creditsRemaining: header('credits-remaining'),
      traceId: header('trace-id'),
    },
    keyStart: `${prefix}_live_`,
    keyPattern: new RegExp(`^${prefix}_live_[0-9A-Za-z]{${KEY_LENGTH}}$`),
    signature: `${prefix.charAt(0).toUpperCase()}${prefix.slice(1)}-Signature`,
  }
}

const PREFIX = /^[a-z][a-z0-9]{0,15}$/
/** An object of this name would stand where a client looks for something else. */
const FIELDS: ReadonlySet<string> = new Set([
  ...['id', 'object', 'created', 'model', 'choices', 'usage', 'error'],
])
/** Deliveries carry `webhook-signature` already, and the case of a header makes no difference. */
const STANDARD_WEBHOOKS = 'webhook'

/** What a prefix must be and this one is not; undefined: it can be used. */
export function whyNoPrefix(prefix: string): string | undefined {
  if (!PREFIX.test(prefix)) return 'must be a lower-case letter and up to 15 more or digits'
  if (FIELDS.has(prefix)) return `must not be ${prefix}, a field that answers have already`
  if (prefix === STANDARD_WEBHOOKS) {
    return 'must not be webhook: deliveries carry a webhook-signature already'
  }
  return undefined
}
