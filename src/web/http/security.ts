import type { FastifyInstance } from 'fastify'
import { refuse } from '../../api/http/errors.ts'
import { refuseWeb } from './errors.ts'

interface Options {
  /** Of the web app. */
  readonly origin: string
  /** That browsers talk to the chain through. */
  readonly rpcUrl: string
  /** Of the public API, which the playground talks to. */
  readonly apiUrl: string
  readonly walletConnect: boolean
}

const WALLET_CONNECT = [
  'https://*.walletconnect.com',
  'https://*.walletconnect.org',
  'wss://*.walletconnect.com',
  'wss://*.walletconnect.org',
]

/** What a page of ours may do: no script but its own files, no talk but with us and the chain. */
export function securityHeaders({ origin, rpcUrl, apiUrl, walletConnect }: Options) {
  const ours = new Set([rpcUrl, apiUrl].map((url) => new URL(url).origin))
  const connect = ["'self'", ...ours, ...(walletConnect ? WALLET_CONNECT : [])]
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // Components set styles of single elements.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    `connect-src ${connect.join(' ')}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    // Some wallets sign in a window of their own, which answers to the one that opened it.
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
    ...(origin.startsWith('https:')
      ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
      : {}),
  }
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * What changes something comes from our own pages, and from no form: browsers tell the origin
 * themselves, and ask first before they send JSON to another one.
 */
export function refuseForgeries(server: FastifyInstance, origin: string): void {
  server.addHook('onRequest', async ({ method, headers }) => {
    if (READS.has(method)) return
    if (headers.origin !== origin) {
      throw refuseWeb(
        'wrong_origin',
        `This request does not come from a page of ${origin}. Open ${origin} and try again there.`,
      )
    }
    if (!/^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '')) {
      throw refuse(
        'invalid_request',
        'The body must be JSON: send it with `content-type: application/json`.',
      )
    }
  })
}
