import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Refusal } from '../../domain/errors.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import type { DurationMs } from '../../domain/time.ts'

/** What tells a retried request from a new one. */
export interface JoinKey {
  /** How the key is stored: the caller's own words are not. */
  readonly key: string
  readonly bodyDigest: string
  /** Whether a job of this key is joined; else the request begins one, and may be joined. */
  readonly joins: boolean
  /** The header that the caller wrote itself. */
  readonly param?: 'Idempotency-Key'
  /** How long a job waits for its caller to come back. */
  readonly graceMs: DurationMs
  /**
   * Whether the caller may come back once it has seen the head of the answer. A client that counts
   * its retries does not: it repeats a request that had no answer.
   */
  readonly returnsMidAnswer: boolean
}

const IDEMPOTENCY_KEY = 'idempotency-key'
const RETRY_COUNT = 'x-stainless-retry-count'
const KEY_FORM = /^[\x21-\x7e]{1,255}$/

/** Somebody who names a request means to come back to it, but not at which speed. */
const NAMED_GRACE_MS = 10_000
/** A client that counts waits half a second after its first try, then twice as long each time. */
const COUNTED_WAIT_MS = 500
const COUNTED_GRACE_MS_MAX = 2_500

/** Whether a request with these headers has a join key, so that the digest of its body is needed. */
export const hasJoinKey = (headers: IncomingHttpHeaders): boolean =>
  headers[IDEMPOTENCY_KEY] !== undefined || headers[RETRY_COUNT] !== undefined

export const bodyDigest = (body: string): string => digest(body)

/**
 * The one join key of a request: the key its caller gave it, else its body, for clients that count
 * their retries; or the reason why the caller's own key cannot be taken.
 */
export function joinKeyOf(
  headers: IncomingHttpHeaders,
  bodyDigest: string,
): Result<JoinKey | undefined, Refusal> {
  const given = headers[IDEMPOTENCY_KEY]
  if (given !== undefined) return named(String(given), bodyDigest)
  const count = headers[RETRY_COUNT]
  return ok(count === undefined ? undefined : counted(Number(count), bodyDigest))
}

function named(given: string, bodyDigest: string): Result<JoinKey, Refusal> {
  if (!KEY_FORM.test(given)) {
    return err({
      code: 'invalid_request',
      message:
        '`Idempotency-Key` must be 1 to 255 visible ASCII characters, without spaces, sent once.',
      param: 'Idempotency-Key',
    })
  }
  return ok({
    key: `k:${digest(given)}`,
    bodyDigest,
    joins: true,
    param: 'Idempotency-Key',
    graceMs: NAMED_GRACE_MS,
    returnsMidAnswer: true,
  })
}

/** @param count of retries before this one; what is no number is a first try */
function counted(count: number, bodyDigest: string): JoinKey {
  const retries = Number.isNaN(count) ? 0 : Math.max(0, count)
  const graceMs = COUNTED_WAIT_MS * 2 ** retries + COUNTED_WAIT_MS
  return {
    key: `b:${bodyDigest}`,
    bodyDigest,
    joins: retries > 0,
    graceMs: Math.min(graceMs, COUNTED_GRACE_MS_MAX),
    returnsMidAnswer: false,
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')
