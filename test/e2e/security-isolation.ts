import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as assert from 'uvu/assert'
import type { Visitor } from '../fakes/web/visitor.ts'
import { type Customer, send } from './customer.ts'

/** What one wallet has that another goes for. */
export interface Owned {
  readonly jobId: string
  readonly webhookId: string
  readonly wallet: string
  /** Words that no other wallet may ever be told. */
  readonly secrets: readonly string[]
}

interface Told {
  readonly status: number
  readonly text: string
}
interface Attempt {
  readonly path: string
  readonly body?: unknown
  /** What the stranger is told: a status, or a look at the answer. Undefined: only nothing of the owner's. */
  readonly expect?: number | ((told: Told) => void)
}
type Row = (owned: Owned) => readonly Attempt[]
export type Rows = Readonly<Record<string, Row>>

const HASH = `sha256:${'0'.repeat(64)}`
const isEmptyList = ({ status, text }: Told) => {
  assert.is(status, 200, text)
  assert.equal(JSON.parse(text).data, [])
}
const hasNothing = ({ status, text }: Told) => {
  assert.is(status, 200, text)
  assert.is(JSON.parse(text).credits_remaining, 0)
}

/** Each operation of the public API, as a stranger with a key of its own tries it. */
export const EDGE_ROWS: Rows = {
  'POST /chat/completions': ({ wallet }) => [
    // The wallet is the key's, whatever the body says.
    {
      path: '/chat/completions',
      body: {
        model: 'Qwen/Qwen3-8B',
        messages: [{ role: 'user', content: 'x' }],
        wallet,
        user: wallet,
      },
      expect: 402,
    },
  ],
  'GET /models': () => [{ path: '/models' }],
  'GET /models/{model_id}': () => [{ path: '/models/Qwen/Qwen3-8B' }],
  'GET /jobs': ({ jobId, wallet }) => [
    { path: '/jobs', expect: isEmptyList },
    { path: `/jobs?wallet=${wallet}`, expect: ({ text }) => assert.not.match(text, jobId) },
    { path: `/jobs?before=${jobId}`, expect: 400 },
    { path: `/jobs?after=${jobId}`, expect: 400 },
  ],
  'GET /jobs/{job_id}': ({ jobId }) => [{ path: `/jobs/${jobId}`, expect: 404 }],
  'POST /jobs/{job_id}/dispute': ({ jobId }) => [
    { path: `/jobs/${jobId}/dispute`, body: { received_output_hash: HASH }, expect: 404 },
  ],
  'GET /account': ({ wallet }) => [
    { path: '/account', expect: hasNothing },
    { path: `/account?wallet=${wallet}`, expect: ({ text }) => assert.not.match(text, wallet) },
  ],
  'POST /webhooks': () => [
    {
      path: '/webhooks',
      body: { url: 'http://127.0.0.1:9999/x', events: ['job.completed'], secret: 's'.repeat(32) },
      expect: 201,
    },
  ],
  'GET /webhooks': ({ webhookId }) => [
    { path: '/webhooks', expect: ({ text }) => assert.not.match(text, webhookId) },
  ],
  'DELETE /webhooks/{webhook_id}': ({ webhookId }) => [
    { path: `/webhooks/${webhookId}`, expect: 404 },
  ],
  'GET /openapi.json': () => [{ path: '/openapi.json' }],
}
/** A stream of events does not end by itself: what it tells a stranger is in test/e2e/events.test.ts. */
export const EDGE_ELSEWHERE: readonly string[] = ['GET /events']

/** Each route of the web app's own API, as somebody who is signed in with another wallet tries it. */
export const WEB_ROWS: Rows = {
  'GET /api/account': () => [{ path: '/api/account', expect: hasNothing }],
  'GET /api/account/movements': () => [{ path: '/api/account/movements', expect: isEmptyList }],
  'GET /api/config': () => [{ path: '/api/config' }],
  'GET /api/deposit-address': () => [{ path: '/api/deposit-address' }],
  // Signed by the wallet that pays, so there is nothing to be had without its key.
  'POST /api/deposits': ({ wallet }) => [{ path: '/api/deposits', body: { wallet }, expect: 400 }],
  'POST /api/development/fund': () => [],
  'GET /api/jobs': ({ jobId }) => [
    { path: '/api/jobs', expect: isEmptyList },
    { path: `/api/jobs?before=${jobId}`, expect: 400 },
  ],
  'GET /api/jobs/:id': ({ jobId }) => [{ path: `/api/jobs/${jobId}`, expect: 404 }],
  'POST /api/jobs/:id/dispute': ({ jobId }) => [
    { path: `/api/jobs/${jobId}/dispute`, body: { received_output_hash: HASH }, expect: 404 },
  ],
  'GET /api/key': () => [{ path: '/api/key' }],
  // A key of one's own: that the owner's still works is looked at in the end.
  'POST /api/key': () => [{ path: '/api/key', body: {}, expect: 201 }],
  'DELETE /api/key': () => [{ path: '/api/key', expect: 204 }],
  'GET /api/models': () => [{ path: '/api/models' }],
  'GET /api/network': () => [{ path: '/api/network' }],
  'POST /api/session/nonce': () => [{ path: '/api/session/nonce', body: {} }],
  'POST /api/session': () => [],
  // Of the session that the cookie names, and no other.
  'DELETE /api/session': () => [],
  'GET /api/session': ({ wallet }) => [
    { path: '/api/session', expect: ({ text }) => assert.not.match(text, wallet) },
  ],
  'GET /api/settings': () => [{ path: '/api/settings' }],
  'PUT /api/settings': ({ wallet }) => [
    { path: '/api/settings', body: { low_threshold: 7, wallet } },
  ],
  'GET /api/webhooks': () => [{ path: '/api/webhooks', expect: isEmptyList }],
  'POST /api/webhooks': () => [],
  'DELETE /api/webhooks/:id': ({ webhookId }) => [
    { path: `/api/webhooks/${webhookId}`, expect: 404 },
  ],
  'POST /api/webhooks/:id/enable': ({ webhookId }) => [
    { path: `/api/webhooks/${webhookId}/enable`, body: {}, expect: 404 },
  ],
  'GET /api/webhooks/:id/deliveries': ({ webhookId }) => [
    { path: `/api/webhooks/${webhookId}/deliveries`, expect: 404 },
  ],
  'POST /api/webhooks/:id/test': ({ webhookId }) => [
    { path: `/api/webhooks/${webhookId}/test`, body: { event: 'job.completed' }, expect: 404 },
  ],
  'POST /api/webhooks/:id/replay': ({ webhookId }) => [
    { path: `/api/webhooks/${webhookId}/replay`, body: { type: 'failed' }, expect: 404 },
  ],
  'POST /api/withdrawals': ({ wallet }) => [
    {
      path: '/api/withdrawals',
      body: { credits: 1, to: wallet, wallet, request_id: 'x' },
      expect: ({ status }) => assert.is.not(status, 200),
    },
  ],
  // What anybody may know of a worker.
  'GET /api/workers/:address/standing': ({ wallet }) => [
    { path: `/api/workers/${wallet}/standing` },
  ],
}
/** A stream of its own, beside test/e2e/web. */
export const WEB_ELSEWHERE: readonly string[] = ['GET /api/events']

const ROUTES = resolve(import.meta.dirname, '../../src/web/routes')
const ROUTE = /\bserver\s*\.(get|post|put|delete|patch)(?:<[^(]*>)?\(\s*'(\/api\/[^']*)'/g

/** Of the web app's API, from where they are written. */
export const webRoutes = (): readonly string[] =>
  readdirSync(ROUTES).flatMap((file) =>
    [...readFileSync(join(ROUTES, file), 'utf8').matchAll(ROUTE)].map(
      ([, method = '', path = '']) => `${method.toUpperCase()} ${path}`,
    ),
  )

/** Of the public API, from its own document. */
export async function edgeRoutes(customer: Customer): Promise<readonly string[]> {
  const { text } = await send(customer, '/openapi.json')
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, unknown>> }
  return Object.entries(paths)
    .filter(([path]) => path !== '/healthz' && path !== '/readyz')
    .flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => ['get', 'post', 'put', 'delete', 'patch'].includes(method))
        .map((method) => `${method.toUpperCase()} ${path.replace(/^\/v1/, '')}`),
    )
}

/** Tries everything of the rows. @param ask as the stranger */
export async function tryAll(
  rows: Rows,
  owned: Owned,
  ask: (method: string, path: string, body: unknown) => Promise<Told>,
): Promise<void> {
  for (const [name, row] of Object.entries(rows)) {
    const method = name.split(' ')[0]!
    for (const { path, body, expect } of row(owned)) {
      const told = await ask(method, path, body)
      const what = `${method} ${path}: ${told.status} ${told.text.slice(0, 300)}`
      assert.ok(told.status < 500, what)
      for (const secret of owned.secrets) assert.not.ok(told.text.includes(secret), what)
      if (typeof expect === 'number') assert.is(told.status, expect, what)
      else expect?.(told)
    }
  }
}

export const askEdge =
  (stranger: Customer) =>
  (method: string, path: string, body: unknown): Promise<Told> =>
    send(stranger, path, {
      method,
      ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
    })

export const askWeb =
  (stranger: Visitor) =>
  (method: string, path: string, body: unknown): Promise<Told> =>
    stranger.send(path, { method, body })
