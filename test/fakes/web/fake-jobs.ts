import type {
  JobLife,
  JobMoment,
  JobsPage,
  NetworkState,
  WebDispute,
  WebModel,
} from '../../../src/web/api.ts'
import type { Asked, Said } from './asked.ts'

type Job = JobLife['job']
type Iso = (minutes: number) => string

/** What a worker signed for the job that can still be disputed: SHA-256 of "Hello". */
const HELLO_HASH = 'sha256:185f8db32271fe25f561a6fc938b2e264306ec304eda518007d1764826381969'

const hash = (digit: string) => `0x${digit.repeat(64)}` as `0x${string}`
const MODELS = ['tiny-1.7b', 'org/with-a-rather-long-name-of-its-own-8b-instruct'] as const
const STATUSES = ['settling', 'settled', 'disputed', 'failed', 'refunded', 'settled'] as const
const PAGE_SIZE = 20
const JOBS = 26
const MINUTES_APART = 7

/** Twenty-six jobs, newest first, something of each kind; the newest can still be disputed. */
export function jobRoutes(inMinutes: Iso): Record<string, (asked: Asked) => Said> {
  const jobs = Array.from({ length: JOBS }, (_, i) => fakeJob(i, inMinutes))
  return {
    'GET /jobs': ({ query }) => ({ body: pageOf(jobs, query) }),
    'GET /jobs/one': ({ path }) => {
      const job = jobs.find(({ id }) => path.endsWith(id))
      return job ? { body: lifeOf(job, inMinutes, job === jobs[0]) } : noJob()
    },
    'POST /jobs/one/dispute': ({ path, body }) => ({
      body: {
        job_id: jobs.find(({ id }) => path.includes(id))!.id,
        dispute_opened: true,
        your_hash: String(body.received_output_hash),
        worker_hash: HELLO_HASH,
        dispute_tx: hash('f'),
        arbitration_window_hours: 24,
      } satisfies WebDispute,
    }),
  }
}

export const publicRoutes = (inMinutes: Iso): Record<string, (asked: Asked) => Said> => ({
  'GET /models': () => ({ body: { object: 'list', data: fakeModels(inMinutes) } }),
  'GET /network': () => ({ body: FAKE_NETWORK }),
})

const noJob = (): Said => ({
  status: 404,
  body: { error: { code: 'job_not_found', message: 'This wallet has no such job.' } },
})

function fakeJob(i: number, inMinutes: Iso): Job {
  const status = STATUSES[i % STATUSES.length]!
  const isAnswered = status !== 'failed' && status !== 'refunded'
  const isPaid = isAnswered && status !== 'settling'
  return {
    id: `job_${String(JOBS - i).padStart(26, '0')}`,
    object: 'job',
    status,
    model: MODELS[i % MODELS.length]!,
    tier: 'lite',
    credits_charged: isPaid ? 3 : 0,
    usdg_value: isPaid ? 0.03 : 0,
    worker_address: isAnswered ? `0x${'9'.repeat(40)}` : null,
    created_at: inMinutes(-i * MINUTES_APART - 1),
    completed_at: isAnswered ? inMinutes(-i * MINUTES_APART) : null,
    on_chain: {
      escrow_tx: hash('a'),
      settlement_tx: isAnswered ? hash('b') : null,
      escrow_address: `0x${'1'.repeat(40)}`,
      block_number: isAnswered ? 1_234 - i : null,
      proof_hash: isAnswered ? HELLO_HASH : null,
      refund_tx: isAnswered ? null : hash('c'),
      dispute_tx: status === 'disputed' ? hash('d') : null,
    },
    usage: isAnswered ? { prompt_tokens: 42, completion_tokens: 1_312, total_tokens: 1_354 } : null,
  } as unknown as Job
}

function lifeOf(job: Job, inMinutes: Iso, isOpen: boolean): JobLife {
  const { escrow_tx, settlement_tx, refund_tx, dispute_tx } = job.on_chain
  const moment = (event: JobMoment['event'], tx: JobMoment['tx'] = null): JobMoment => ({
    event,
    at: tx || event !== 'settled' ? job.created_at : null,
    tx,
    block_number: tx ? 1_234 : null,
  })
  return {
    job,
    timeline: [
      moment('created'),
      moment('locked', escrow_tx),
      ...(settlement_tx ? [moment('answered'), moment('settled', settlement_tx)] : []),
      ...(dispute_tx ? [moment('disputed', dispute_tx)] : []),
      ...(refund_tx ? [moment('failed'), moment('refunded', refund_tx)] : []),
    ],
    disputable_until: isOpen ? inMinutes(1) : null,
  }
}

/** As the public API pages. */
function pageOf(jobs: readonly Job[], query: URLSearchParams): JobsPage {
  const fits = jobs.filter(
    ({ status, model }) =>
      status === (query.get('status') ?? status) && model === (query.get('model') ?? model),
  )
  const before = query.get('before')
  const after = query.get('after')
  const rest = fits.filter(({ id }) => (!before || id < before) && (!after || id > after))
  const data = after ? rest.slice(-PAGE_SIZE) : rest.slice(0, PAGE_SIZE)
  return { data, has_more: rest.length > data.length, next_cursor: null }
}

const fakeModels = (inMinutes: Iso): readonly WebModel[] =>
  MODELS.map((id, i) => ({
    id,
    created: 1_750_000_000,
    owned_by: 'publisher',
    svc: {
      tier: i === 0 ? 'lite' : 'standard',
      credits_per_request: i === 0 ? 2 : 8,
      credits_per_1k_tokens: i === 0 ? 1 : 4,
      active_workers: 3 - i,
      median_latency_ms: i === 0 ? 184 : 0,
      parameters: i === 0 ? '1.7B' : '8B',
      context_window: 32_768,
      ...(i === 1 && { retires_at: inMinutes(60 * 24 * 20) }),
    },
  }))

const FAKE_NETWORK: NetworkState = {
  solvency: {
    accounts_credits: 1_234_567,
    locks_credits: 96,
    earnings_usdg: 41.0175,
    treasury_usdg: 13.6725,
    disputed_usdg: 0.4,
    contract_usdg: 12_401.73,
    surplus_usdg: 0.01,
    block_number: 1_234,
  },
  jobs_per_minute: 87,
  workers: 9,
  // An operator writes there what it likes, up to 64 characters.
  workers_by_region: { 'eu-central': 5, ['rechenzentrum'.repeat(4)]: 3, 'ap-south': 1 },
  pools: 2,
}
