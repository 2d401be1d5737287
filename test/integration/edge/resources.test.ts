import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toCredits } from '../../../src/domain/credits.ts'
import { publicHash } from '../../../src/domain/hash.ts'
import { toAddress, toHex32, toJobId } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { fastClock } from '../../fakes/edge/fast-clock.ts'
import {
  call,
  ESCROW,
  ESCROW_TX,
  jsonOf,
  MODEL,
  openStage,
  SETTLEMENT_TX,
  type Stage,
  viewOf,
  WALLET,
  WORKER,
} from '../../fakes/edge/stage.ts'

const Resources = suite<{ stage: Stage }>('edge: models, jobs, account, health')
Resources.before.each(async (context) => {
  context.stage = await openStage()
})
Resources.after.each(async ({ stage }) => stage.close())

Resources('models: the live ones, by both forms of their id', async ({ stage }) => {
  const second = { workers: 4, firstTokensMs: [130, 300, 900], measured: 3 }
  stage.summary({ [MODEL]: second, 'not/ours': {} }, 'second')
  await new Promise((resolve) => setImmediate(resolve))
  const list = await jsonOf(await call(stage, '/v1/models'))
  const expected = {
    id: MODEL,
    object: 'model',
    created: 1745798400,
    owned_by: 'Qwen',
    svc: {
      tier: 'standard',
      credits_per_request: 8,
      credits_per_1k_tokens: 4,
      active_workers: 5,
      // Of 120, 130, 300, 900; the fifth worker has answered nothing yet.
      median_latency_ms: 215,
      parameters: '8B',
      context_window: 32_768,
    },
  }
  assert.equal(list, { object: 'list', data: [expected] })
  for (const path of [MODEL, encodeURIComponent(MODEL)]) {
    const response = await call(stage, `/v1/models/${path}`)
    assert.equal(await jsonOf(response), expected)
    assert.is(response.headers.get('x-svc-credits-remaining'), '1000')
  }
  for (const path of ['Qwen/Qwen3-14B', 'no/such', '']) {
    const response = await call(stage, `/v1/models/${path}`)
    const { error } = await jsonOf(response)
    assert.equal([response.status, error.code], [404, 'model_not_found'])
    assert.is(error.type, 'not_found_error')
  }
})

Resources('a list with a slash behind it lacks an id, and is told so', async ({ stage }) => {
  for (const [path, code] of [
    ['/v1/jobs/', 'job_not_found'],
    ['/v1/jobs/?limit=2', 'job_not_found'],
    ['/v1/models/', 'model_not_found'],
  ] as const) {
    const { error } = await jsonOf(await call(stage, path))
    assert.is(error.code, code)
    assert.match(error.message, /GET \/v1\/(jobs|models), without a slash behind it/)
  }
})

Resources('a pool that is silent, or draining, serves nothing', async () => {
  const stage = await openStage({ clock: fastClock(50), poolsSpeakOn: false })
  try {
    await new Promise((resolve) => setTimeout(resolve, 100))
    const list = await jsonOf(await call(stage, '/v1/models'))
    assert.equal(list, { object: 'list', data: [] })
  } finally {
    await stage.close()
  }
})

Resources('jobs: every field, null where unknown, and only one’s own', async ({ stage }) => {
  const id = toJobId(`job_${'0'.repeat(26)}`)
  const response = await call(stage, `/v1/jobs/${id}`)
  assert.equal(await jsonOf(response), {
    id,
    object: 'job',
    status: 'pending',
    model: MODEL,
    tier: 'standard',
    credits_charged: 0,
    usdg_value: 0,
    worker_address: null,
    created_at: '2023-11-14T22:13:20.000Z',
    completed_at: null,
    on_chain: {
      escrow_tx: null,
      settlement_tx: null,
      escrow_address: ESCROW,
      block_number: null,
      proof_hash: null,
      refund_tx: null,
      dispute_tx: null,
    },
    usage: null,
  })
  const hash = toHex32(`0x${'ab'.repeat(32)}`)
  stage.actor = ({ jobId }) => ({
    type: 'accepted',
    ending: null,
    view: viewOf(jobId, {
      status: 'settled',
      charged: toCredits(8),
      worker: WORKER,
      completedAt: toUnixMs(1_700_000_001_000),
      escrowTx: ESCROW_TX,
      settlementTx: SETTLEMENT_TX,
      block: 9,
      proofHash: hash,
      usage: { promptTokens: 1, completionTokens: 2 },
    }),
  })
  const settled = await call(stage, `/v1/jobs/${id}`)
  const job = await jsonOf(settled)
  assert.is(job.usdg_value, 0.08)
  assert.is(job.on_chain.proof_hash, publicHash(hash))
  assert.equal(job.usage, { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 })
  assert.is(settled.headers.get('x-svc-settlement-tx'), SETTLEMENT_TX)
  assert.is(settled.headers.get('x-svc-worker'), WORKER)

  stage.actor = ({ jobId }) => ({
    type: 'accepted',
    ending: null,
    view: viewOf(jobId, { wallet: toAddress(`0x${'99'.repeat(20)}`) }),
  })
  const other = await jsonOf(await call(stage, `/v1/jobs/${id}`))
  stage.actor = () => ({ type: 'unknown_job' })
  const unknown = await jsonOf(await call(stage, `/v1/jobs/${id}`))
  assert.equal(other, unknown)
  for (const malformed of ['x', `job_${'0'.repeat(5_000)}`, 'job_%2F']) {
    const answer = await call(stage, `/v1/jobs/${malformed}`)
    assert.equal([answer.status, (await jsonOf(answer)).error.code], [404, 'job_not_found'])
  }
})

Resources('account', async ({ stage }) => {
  const response = await call(stage, '/v1/account')
  assert.equal(await jsonOf(response), {
    wallet: WALLET,
    credits_remaining: 1000,
    usdg_value: 10,
    last_topup_at: '2001-09-09T01:46:40.000Z',
    api_key_created_at: '2023-11-14T22:13:20.000Z',
  })
})

Resources('health needs no key; readiness needs the bus and the ledger', async ({ stage }) => {
  assert.is((await call(stage, '/healthz', { key: null })).status, 200)
  assert.is((await call(stage, '/readyz', { key: null })).status, 200)
  stage.bus.setConnected(false)
  const unready = await call(stage, '/readyz', { key: null })
  assert.is(unready.status, 503)
  assert.match((await jsonOf(unready)).error.message, /NATS/)
})

Resources.run()
