import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { makeSignIn } from '../../../src/chain/sign-in.ts'
import { type TokenUnits, toCredits } from '../../../src/domain/credits.ts'
import { type Address, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import type { JobReply } from '../../../src/messages/job-reply.ts'
import type { PoolSummary, WorkerStanding } from '../../../src/messages/pool.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'
import type { NetworkReader } from '../../../src/ports/network-chain.ts'
import type { JobLife, JobsPage, NetworkState, WebModels } from '../../../src/web/api.ts'
import type { CreatedWebhook, WebWebhook } from '../../../src/web/webhook-api.ts'
import type { WebStandings } from '../../../src/web/workers-api.ts'
import { poolSummary } from '../../fakes/edge/stage.ts'
import { jobAt, MODEL, viewOf } from '../../fakes/jobs/views.ts'
import { openWebStage, type WebStage } from '../../fakes/web/stage.ts'
import { codeOf, Visitor } from '../../fakes/web/visitor.ts'
import { makeWebhookHouse } from '../../fakes/webhooks/webhook-house.ts'
import { until } from '../../until.ts'

/** What the web app asks of jobs, webhooks and the network, without a network behind it. */
const Routes = suite('web routes')

const ORIGIN = 'https://app.test'
const CHAIN_ID = 31_337
const WORKER = toAddress(`0x${'22'.repeat(20)}`)
const units = (value: bigint) => value as TokenUnits

/** A chain that says the same to everybody, refuses, or says nothing at all. */
let chainAnswers: boolean | 'late' = true
const told = async <T>(value: T): Promise<T> => {
  if (chainAnswers === 'late') return new Promise(() => {})
  if (!chainAnswers) throw new ChainUnavailable('down')
  return value
}
const networkReader: NetworkReader = {
  solvency: () =>
    told({
      ...{ block: 42, accounts: toCredits(1_000), locks: toCredits(20) },
      ...{ earnings: units(750_000n), treasury: units(250_000n), disputed: units(100_000n) },
      held: units(11_300_001n),
    }),
  payeeOf: (signer) => told(signer === WORKER ? wallet : undefined),
  disputeEnd: () => told(null),
  inclusion: () => told({ block: 9, at: toUnixMs(1_800_000_009_000) }),
}

let stage: WebStage
let house: ReturnType<typeof makeWebhookHouse>
let visitor: Visitor
let wallet: Address
let stranger: Visitor

Routes.before(async () => {
  const signIn = makeSignIn({ rpcUrl: 'http://127.0.0.1:1', chainId: CHAIN_ID })
  stage = await openWebStage({ origin: ORIGIN, signIn, networkReader })
  house = makeWebhookHouse({ bus: stage.bus })
  await house.start()
  ;[visitor, stranger] = [visit(), visit()]
  const account = privateKeyToAccount(generatePrivateKey())
  wallet = toAddress(account.address)
  await visitor.signIn(account, CHAIN_ID)
  await stranger.signIn(privateKeyToAccount(generatePrivateKey()), CHAIN_ID)
})
Routes.before.each(() => {
  chainAnswers = true
})
Routes.after(async () => {
  await house?.stop()
  await stage?.web.stop()
})

const visit = () => new Visitor({ origin: ORIGIN, address: stage.address })
const HASH = `sha256:${'ab'.repeat(32)}`
const GOOD = { url: 'https://example.com/hooks', events: ['job.completed'] }
const WEBHOOK = `/api/webhooks/wh_${'0'.repeat(24)}`

Routes('what is a wallet’s needs a session, what is everybody’s does not', async () => {
  const job = `/api/jobs/${jobAt(1)}`
  for (const [method, path] of [
    ['GET', '/api/jobs'],
    ['GET', job],
    ['POST', `${job}/dispute`],
    ['GET', '/api/webhooks'],
    ['POST', '/api/webhooks'],
    ['DELETE', WEBHOOK],
    ['POST', `${WEBHOOK}/enable`],
    ['POST', `${WEBHOOK}/test`],
    ['GET', `${WEBHOOK}/deliveries`],
    ['POST', `${WEBHOOK}/replay`],
  ] as const) {
    const answer = await visit().send(path, { method })
    assert.is(answer.status, 401, path)
    assert.is(codeOf(answer), 'session_required')
  }
  for (const path of ['models', 'network']) {
    assert.is((await visit().send(`/api/${path}`)).status, 200, path)
  }
})

Routes('webhooks: made, listed, enabled and deleted by their wallet alone', async () => {
  const made = await visitor.post<CreatedWebhook>('/api/webhooks', GOOD)
  assert.match(made.id, /^wh_[0-9a-z]{24}$/)
  assert.match(made.secret ?? '', /^[0-9a-f]{64}$/)
  const [kept] = (await house.records.of(wallet)).webhooks
  assert.is(house.secrets.open(kept!), made.secret)

  const own = { ...GOOD, secret: 'a-secret-of-my-own-choice' }
  assert.is((await visitor.post<CreatedWebhook>('/api/webhooks', own)).secret, null)
  const { data } = await visitor.json<{ data: readonly WebWebhook[] }>('/api/webhooks')
  assert.is(data.length, 2)
  assert.is(data[1]?.id, made.id)
  assert.not.ok(JSON.stringify(data).includes('secret'))

  const path = `/api/webhooks/${made.id}`
  const enabled = await visitor.post<WebWebhook>(`${path}/enable`)
  assert.is(enabled.status, 'active')
  for (const [method, each] of [
    ['DELETE', path],
    ['POST', `${path}/enable`],
  ] as const) {
    const refused = await stranger.send(each, { method })
    assert.is(refused.status, 404)
    assert.is(codeOf(refused), 'webhook_not_found')
  }
  assert.equal(await stranger.json('/api/webhooks'), { data: [] })
  assert.is((await visitor.send(path, { method: 'DELETE' })).status, 204)
  assert.is((await visitor.send(path, { method: 'DELETE' })).status, 404)
})

Routes('webhooks: what is wrong is said, with the field that it is in', async () => {
  const bad = async (path: string, body: unknown) => {
    const answer = await visitor.send(path, { method: 'POST', body })
    const { error } = JSON.parse(answer.text)
    return [answer.status, error.code, error.param]
  }
  const create = (body: object) => bad('/api/webhooks', { ...GOOD, ...body })
  assert.equal(await create({ events: [] }), [400, 'invalid_request', 'events'])
  assert.equal(await create({ events: ['job.done'] }), [400, 'invalid_request', 'events[0]'])
  assert.equal(await create({ secret: 'short' }), [400, 'invalid_request', 'secret'])
  const inside = await create({ url: 'https://inside.example.com/' })
  assert.equal(inside, [422, 'invalid_webhook_url', 'url'])
  assert.equal(await bad(`${WEBHOOK}/test`, { event: 'x' }), [400, 'invalid_request', 'event'])
  const replay = (body: object) => bad(`${WEBHOOK}/replay`, body)
  assert.equal(await replay({ type: 'all' }), [400, 'invalid_request', 'type'])
  assert.equal(await replay({ type: 'one' }), [400, 'invalid_request', 'event_id'])
  const range = { type: 'range', from: '2026-06-01T00:00:00Z' }
  assert.equal(await replay({ ...range, to: 'later' }), [400, 'invalid_request', 'to'])
  const backwards = { ...range, to: '2026-05-01T00:00:00Z' }
  assert.equal(await replay(backwards), [400, 'invalid_request', 'to'])
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'failed_only=1']) {
    const answer = await visitor.send(`${WEBHOOK}/deliveries?${query}`)
    assert.is(answer.status, 400, query)
    assert.is(JSON.parse(answer.text).error.param, query.split('=')[0])
  }
})

Routes('webhooks: a service that does not answer is told as that', async () => {
  await house.stop()
  try {
    const answer = await visitor.send('/api/webhooks')
    assert.is(answer.status, 503)
    assert.is(codeOf(answer), 'service_unavailable')
  } finally {
    house = makeWebhookHouse({ bus: stage.bus })
    await house.start()
  }
})

Routes('jobs: the list and one of them, with blocks from the chain', async () => {
  const id = jobAt(5)
  await stage.jobViews.put([{ view: viewOf(id, 'settled', { wallet }), version: 1 }])
  const stop = stage.bus.subscribe('cmd.*.*.*', (_m, _s, say) =>
    say({ type: 'unknown_job' } satisfies JobReply),
  )
  const page = await visitor.json<JobsPage>('/api/jobs?limit=5&status=settled')
  assert.equal(
    page.data.map((job) => job.id),
    [id],
  )
  const life = await visitor.json<JobLife>(`/api/jobs/${id}`)
  assert.is(life.job.id, id)
  assert.equal(
    life.timeline.map(({ event, block_number }) => [event, block_number]),
    [
      ['created', null],
      ['locked', 9],
      ['answered', null],
      ['settled', 9],
    ],
  )
  // The chain does not answer: what the job itself knows is told all the same.
  chainAnswers = false
  const alone = await visitor.json<JobLife>(`/api/jobs/${id}`)
  assert.equal(
    alone.timeline.map(({ event, at, block_number }) => [event, at === null, block_number]),
    [
      ['created', false, null],
      ['locked', true, null],
      ['answered', false, null],
      ['settled', true, 123_456],
    ],
  )
  for (const path of [`/api/jobs/${id}`, '/api/jobs/nonsense', `/api/jobs/${jobAt(6)}`]) {
    const refused = await stranger.send(path)
    assert.is(refused.status, 404, path)
    assert.is(codeOf(refused), 'job_not_found')
  }
  assert.equal((await stranger.json<JobsPage>('/api/jobs')).data, [])
  for (const query of ['limit=0', 'status=done', 'before=x', 'model=none']) {
    assert.is((await visitor.send(`/api/jobs?${query}`)).status, 400, query)
  }
  stop.unsubscribe()
})

Routes('jobs: a dispute is told as the public API tells it', async () => {
  const id = jobAt(7)
  const view = viewOf(id, 'settled', { wallet, proofHash: toHex32(`0x${'ab'.repeat(32)}`) })
  const { unsubscribe } = stage.bus.subscribe(
    SUBJECTS.jobCommand(id, 'web'),
    (message, _subject, say) => {
      const command = message as JobCommand
      const isOwn = command.type !== 'DisputeJob' || command.wallet === wallet
      const reply: JobReply = isOwn
        ? { type: 'accepted', view, ending: null }
        : { type: 'refused', reason: 'job_not_found' }
      say(reply)
    },
  )
  const path = `/api/jobs/${id}/dispute`
  const agrees = await visitor.post(path, { received_output_hash: HASH })
  assert.equal(agrees, {
    ...{ job_id: id, dispute_opened: false, your_hash: HASH, worker_hash: HASH },
    ...{ dispute_tx: null, arbitration_window_hours: null },
  })
  const body = { received_output_hash: HASH }
  const foreign = await stranger.send(path, { method: 'POST', body })
  assert.is(foreign.status, 404)
  for (const wrong of [{}, { received_output_hash: 'sha256:12' }, [], '']) {
    const refused = await visitor.send(path, { method: 'POST', body: wrong })
    assert.is(refused.status, 400)
    assert.is(JSON.parse(refused.text).error.param, 'received_output_hash')
  }
  unsubscribe()
})

Routes('models and network: what pools say, and what the escrow owes', async () => {
  const one = { workers: 3, regions: { fra: 2, nyc: 1 }, jobsLastMinute: 40 }
  const other = { workers: 2, regions: { nyc: 2 }, jobsLastMinute: 2 }
  const summaries: readonly PoolSummary[] = [
    { ...poolSummary({ [MODEL]: {} }, 'one'), census: one },
    { ...poolSummary({ [MODEL]: {} }, 'two'), census: other },
    poolSummary({}, 'of an earlier version'),
  ]
  const stranger = visit()
  await until('the models of both pools', async () => {
    for (const summary of summaries) stage.bus.publish(SUBJECTS.poolSummary, summary)
    const { data } = await stranger.json<WebModels>('/api/models')
    return data[0]?.svc.active_workers === 2
  })
  const state = await stranger.json<NetworkState>('/api/network')
  assert.equal(state, {
    solvency: {
      ...{ accounts_credits: 1_000, locks_credits: 20, earnings_usdg: 0.75 },
      ...{ treasury_usdg: 0.25, disputed_usdg: 0.1, contract_usdg: 11.300001 },
      ...{ surplus_usdg: 0.000001, block_number: 42 },
    },
    ...{ jobs_per_minute: 42, workers: 5, workers_by_region: { nyc: 3, fra: 2 }, pools: 3 },
  })
  assert.equal(Object.keys(state.workers_by_region), ['nyc', 'fra'])
  chainAnswers = false
  const without = await stranger.json<NetworkState>('/api/network')
  assert.equal([without.solvency, without.workers], [null, 5])
  // As while the logs of a long chain are read for the first time.
  chainAnswers = 'late'
  const meanwhile = await stranger.json<NetworkState>('/api/network')
  assert.is(meanwhile.solvency, null)
  chainAnswers = false
})

const STANDING: WorkerStanding = {
  ...{ type: 'standing', state: 'resting', because: 'failed', failuresInRow: 2, callersKept: 0 },
  ...{ restingUntil: toUnixMs(1_800_000_000_000), slots: 4, busy: 0, completionRate: 0.5 },
  jobs: { offered: 9, finished: 4, failed: 4, refused: 1 },
  models: [
    {
      ...{ id: MODEL, workers: 3, slots: 12, busy: 2, queued: 0, jobsPerMinute: 7 },
      ...{ firstTokenMs: 210, rank: 3, ranked: 3 },
    },
  ],
  awaited: [{ id: 'other/model', failures: 1, nextAt: null }],
  leftOut: [{ id: 'gone/model', reason: 'retired' }],
  ...{ software: 'agent 0.0.9, engine', agentLatest: '0.1.0' },
}

Routes('how pools see a worker: its payee is told, and nobody else', async () => {
  for (const pool of ['one', 'two', 'of an earlier version']) {
    stage.bus.publish(SUBJECTS.poolSummary, poolSummary({ [MODEL]: {} }, pool))
  }
  // The third one does not hear the question.
  const answers = [
    stage.bus.subscribe(SUBJECTS.poolStanding('one'), (_, __, respond) =>
      respond({ type: 'absent' }),
    ),
    stage.bus.subscribe(SUBJECTS.poolStanding('two'), (message, _, respond) => {
      assert.equal(message, { worker: WORKER })
      respond(STANDING)
    }),
  ]
  const path = `/api/workers/${WORKER.toUpperCase().replace('X', 'x')}/standing`
  const { data, ...counts } = await visitor.json<WebStandings>(path)
  assert.equal(counts, { pools_asked: 3, pools_silent: 1 })
  assert.equal(data, [
    {
      ...{ pool: 'two', state: 'resting', resting_until: '2027-01-15T08:00:00.000Z' },
      ...{ because: 'failed', failures_in_row: 2, callers_kept: 0, slots: 4, busy: 0 },
      ...{ jobs: STANDING.jobs, completion_rate: 0.5, left_out: STANDING.leftOut },
      models: [
        {
          ...{ id: MODEL, workers: 3, slots: 12, busy: 2, queued: 0, jobs_per_minute: 7 },
          ...{ first_token_ms: 210, rank: 3, ranked: 3 },
        },
      ],
      awaited: [{ id: 'other/model', failures: 1, next_at: null }],
      ...{ software: 'agent 0.0.9, engine', agent_latest: '0.1.0' },
    },
  ])
  for (const answer of answers) answer.unsubscribe()

  const others = await stranger.send(path)
  assert.equal([others.status, codeOf(others)], [403, 'not_your_worker'])
  const nobody = await visit().send(path)
  assert.equal([nobody.status, codeOf(nobody)], [401, 'session_required'])
  const unknown = await visitor.send(`/api/workers/0x${'00'.repeat(20)}/standing`)
  assert.equal([unknown.status, codeOf(unknown)], [404, 'worker_not_found'])
  assert.is((await visitor.send('/api/workers/me/standing')).status, 400)
  chainAnswers = false
  const silent = await visitor.send(path)
  assert.equal([silent.status, codeOf(silent)], [503, 'service_unavailable'])
})

Routes.run()
