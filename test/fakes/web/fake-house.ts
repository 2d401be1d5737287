import type { WebConfig, WebKey } from '../../../src/web/api.ts'
import type { WebDelivery, WebWebhook } from '../../../src/web/webhook-api.ts'
import type { Asked, Said } from './asked.ts'
import { jobRoutes, publicRoutes } from './fake-jobs.ts'

/** One customer with something in every state, as seen through /api. Nothing is remembered twice. */
export interface FakeHouse {
  readonly config: WebConfig
  answer(asked: Asked): Said
  /** Every session is over, as after twelve hours. */
  endSessions(): void
}

const hash = (digit: string): `0x${string}` => `0x${digit.repeat(64)}`
const address = (digit: string): `0x${string}` => `0x${digit.repeat(40)}`
const MINUTE_MS = 60_000

export function makeFakeHouse(rpcUrl: string, now: number): FakeHouse {
  const inMinutes = (minutes: number) => new Date(now + minutes * MINUTE_MS).toISOString()
  const config = fakeConfig(rpcUrl)
  let wallet: string | undefined
  let key: WebKey | null = null
  let lowThreshold = 100
  let isOver = false
  let webhooks: WebWebhook[] = [failedWebhook(inMinutes)]

  const routes: Record<string, (asked: Asked) => Said> = {
    'POST /session/nonce': () => ({ body: { nonce: 'abcdef0123456789' } }),
    'POST /session': ({ body }) => {
      isOver = false
      wallet = /0x[0-9a-fA-F]{40}/.exec(String(body.message))![0].toLowerCase()
      return { body: session(), signIn: true }
    },
    'DELETE /session': () => ({ body: null, signOut: true }),
    'GET /account': () => ({ body: fakeAccount(wallet!, inMinutes) }),
    'GET /account/movements': () => ({ body: fakeMovements(inMinutes) }),
    'GET /deposit-address': () => ({
      body: {
        ...{ address: address('d'), chain_id: config.chain.id, usdg: config.contracts.usdg },
        ...{ pending_credits: 40, minimum_credits: 100 },
      },
    }),
    'GET /key': () => ({ body: key }),
    'POST /key': () => {
      key = {
        hint: 'svc_live_Ab…9z',
        created_at: inMinutes(0),
        last_used_at: null,
        status: 'active',
      }
      return { body: { ...key, key: `svc_live_${'Ab12'.repeat(8)}` } }
    },
    'DELETE /key': () => {
      key = null
      return { body: { revoked: true } }
    },
    'GET /settings': () => ({ body: { low_threshold: lowThreshold } }),
    'PUT /settings': ({ body }) => {
      lowThreshold = Number(body.low_threshold)
      return { body: { low_threshold: lowThreshold } }
    },
    ...jobRoutes(inMinutes),
    'GET /webhooks': () => ({ body: { data: webhooks } }),
    'POST /webhooks': ({ body }) => {
      const { url, events } = body as unknown as WebWebhook
      if (!url.startsWith('https:'))
        return refusal(422, 'invalid_webhook_url', 'url must be https', 'url')
      const made: WebWebhook = {
        ...{ id: `wh_${'b'.repeat(24)}`, url, events },
        ...{ created_at: inMinutes(0), status: 'active' },
      }
      webhooks = [made, ...webhooks]
      return { body: made, status: 201 }
    },
    'GET /webhooks/deliveries': () => ({
      body: { data: fakeDeliveries(inMinutes), has_more: false, next_cursor: null },
    }),
    'POST /webhooks/enable': () => {
      webhooks = webhooks.map((webhook) => ({ ...webhook, status: 'active' }))
      return { body: webhooks[0] }
    },
    'POST /webhooks/test': () => ({ body: { event_id: 'evt_1' } }),
    'POST /webhooks/replay': () => ({ body: { events: 1, next_cursor: null } }),
    'GET /workers/one/standing': () => ({ body: { pools_asked: 1, pools_silent: 0, data: [] } }),
    'POST /development/fund': () => ({ body: { funded: true } }),
  }
  const open = publicRoutes(inMinutes)
  const session = () => ({ wallet, expires_at: inMinutes(720) })

  return {
    config,
    endSessions: () => {
      isOver = true
    },
    answer({ signedIn, ...rest }) {
      const asked = { ...rest, signedIn: signedIn && !isOver }
      if (asked.path === '/config') return { body: config }
      if (asked.path === '/session' && asked.method === 'GET') {
        return asked.signedIn ? { body: session() } : signInFirst()
      }
      const openRoute = open[`${asked.method} ${asked.path}`]
      if (openRoute) return openRoute(asked)
      const path = asked.path
        .replace(/\/wh_\w+/, '')
        .replace(/\/job_\w+/, '/one')
        .replace(/\/0x[0-9a-f]{40}/, '/one')
      const route = routes[`${asked.method} ${path}`]
      if (!route) return refusal(404, 'route_not_found', 'There is no such path.')
      if (!asked.signedIn && !asked.path.startsWith('/session')) {
        return signInFirst()
      }
      return route(asked)
    },
  }
}

const signInFirst = () => refusal(401, 'session_required', 'You are not signed in; sign in again.')

const refusal = (status: number, code: string, message: string, param: string | null = null) => ({
  status,
  body: { error: { code, message, type: 'x', param, docs: '' } },
})

type InMinutes = (minutes: number) => string

const fakeConfig = (rpcUrl: string): WebConfig => ({
  service_prefix: 'svc',
  chain: {
    id: 31_337,
    name: 'Local',
    rpc_url: rpcUrl,
    coin: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  },
  explorer_url: 'http://127.0.0.1/explorer',
  contracts: {
    job_escrow: address('1'),
    worker_staking: address('2'),
    usdg: address('3'),
    r_compute: address('4'),
    model_registry: address('5'),
    governor: address('6'),
    timelock: address('7'),
    deploy_block: 1,
  },
  base_url: 'http://127.0.0.1:8080/v1',
  docs_url: 'http://127.0.0.1:8080/docs',
  walletconnect_project_id: null,
  development: true,
  relays_deposits: true,
  minimum_purchase_credits: 100,
  units_per_credit: 10_000,
  dispute_window_seconds: 60,
  session_hours: 12,
  job_window_seconds: 120,
  tiers: { lite: { credits_per_request: 2, credits_per_1k_tokens: 1 } },
})

const fakeAccount = (wallet: string, inMinutes: InMinutes) => {
  const held = (digit: string, credits: number, minutes: number | null, count = 1) => ({
    credits: credits * count,
    jobs: Array.from({ length: count }, (_, i) => ({
      job_id: `job_${digit.repeat(25)}${i}`,
      credits,
      tx: i === 1 ? null : hash(digit),
      ends_at: minutes === null ? null : inMinutes(minutes),
    })),
  })
  return {
    wallet,
    credits_remaining: 12_340,
    usdg_value: 123.4,
    last_topup_at: inMinutes(-90),
    locked: held('a', 8, 1.5, 5),
    settling: held('b', 18, null),
    refunding: { credits: 0, jobs: [] },
    disputed: held('c', 40, 60 * 20),
    thawing: { credits: 500, ends_at: inMinutes(4) },
    arriving_credits: 40,
  }
}

const fakeMovements = (inMinutes: InMinutes) => ({
  data: (['purchase', 'withdrawal', 'purchase'] as const).map((type, i) => ({
    type,
    credits: 1_000 * (i + 1),
    usdg_value: 10 * (i + 1),
    tx: hash(String(i + 1)),
    block_number: 100 - i,
    at: inMinutes(-100 * (i + 1)),
    counterparty: address(String(i + 1)),
  })),
  has_more: false,
  next_cursor: null,
})

const failedWebhook = (inMinutes: InMinutes): WebWebhook => ({
  id: `wh_${'a'.repeat(24)}`,
  url: 'https://hooks.example.com/a/rather/long/path/to/see/how/it/wraps/on/a/phone',
  events: ['job.completed', 'job.failed', 'credit.low'],
  created_at: inMinutes(-10_000),
  status: 'failed',
})

const fakeDeliveries = (inMinutes: InMinutes): readonly WebDelivery[] => [
  {
    position: '2',
    event_id: `evt_${'e'.repeat(24)}`,
    event: 'job.completed',
    status: 'failed',
    body: JSON.stringify({ id: 'evt_1', event: 'job.completed', data: { job_id: 'job_1' } }),
    attempts: [
      {
        ...{ attempt: 1, at: inMinutes(-200), latency_ms: 120, status: 500, error: null },
        ...{ answer_start: 'internal error', delivered: false, next_at: inMinutes(-199) },
      },
      {
        ...{ attempt: 2, at: inMinutes(-199), latency_ms: 10_000, status: null },
        ...{
          error: `getaddrinfo ENOTFOUND ${'hooks'.repeat(12)}.example.com`,
          answer_start: '',
          delivered: false,
          next_at: null,
        },
      },
    ],
  },
  {
    position: '1',
    event_id: `evt_${'f'.repeat(24)}`,
    event: 'credit.low',
    status: 'delivered',
    body: '{}',
    attempts: [
      {
        ...{ attempt: 1, at: inMinutes(-300), latency_ms: 80, status: 200, error: null },
        ...{ answer_start: 'ok', delivered: true, next_at: null },
      },
    ],
  },
]
