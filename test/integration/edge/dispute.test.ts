import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { publicHash } from '../../../src/domain/hash.ts'
import { makeJobId, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { JobReply } from '../../../src/messages/job-reply.ts'
import type { JobView } from '../../../src/messages/job-view.ts'
import { fastClock } from '../../fakes/edge/fast-clock.ts'
import {
  call,
  ESCROW_TX,
  jsonOf,
  openStage,
  REFUND_TX,
  SETTLEMENT_TX,
  type Stage,
  viewOf,
  WALLET,
  WORKER,
} from '../../fakes/edge/stage.ts'

/** POST /v1/jobs/<id>/dispute, with the job played by hand. */
const Dispute = suite<{ stage: Stage }>('edge: dispute')
Dispute.before.each(async (context) => {
  // Twenty seconds of patience pass in one.
  context.stage = await openStage({ clock: fastClock(20) })
})
Dispute.after.each(async ({ stage }) => stage.close())

const JOB = makeJobId(toUnixMs(1_700_000_000_000), new Uint8Array(16))
const [MINE, THEIRS] = [toHex32(`0x${'ab'.repeat(32)}`), toHex32(`0x${'cd'.repeat(32)}`)]
const DISPUTE_TX = toHex32(`0x${'ef'.repeat(32)}`)
const settled = viewOf(JOB, {
  status: 'settled',
  worker: WORKER,
  completedAt: toUnixMs(1_700_000_001_000),
  escrowTx: ESCROW_TX,
  settlementTx: SETTLEMENT_TX,
  proofHash: THEIRS,
})
const disputed: JobView = { ...settled, status: 'disputed', disputedHash: MINE }
const accepted = (view: JobView): JobReply => ({ type: 'accepted', view, ending: null })

const dispute = (
  stage: Stage,
  body: unknown = { received_output_hash: publicHash(MINE) },
  id = JOB,
) => call(stage, `/v1/jobs/${id}/dispute`, { method: 'POST', body })

/** Answers the dispute with `first`, and each look at the job with the next view; the last stays. */
function answers(stage: Stage, first: JobReply, ...looks: JobView[]): void {
  stage.actor = ({ type }) => {
    if (type === 'DisputeJob') return first
    const view = looks.length > 1 ? looks.shift() : looks[0]
    return view ? accepted(view) : { type: 'unknown_job' }
  }
}

function jobHeadersOf(response: Response): (string | null)[] {
  const names = ['x-svc-job-id', 'x-svc-tx-hash', 'x-svc-settlement-tx', 'x-svc-worker']
  return names.map((name) => response.headers.get(name))
}
const ALL_HEADERS = [JOB, ESCROW_TX, SETTLEMENT_TX, WORKER]

Dispute('opened: answers once the transaction is broadcast', async ({ stage }) => {
  answers(stage, accepted(disputed), disputed, { ...disputed, disputeTx: DISPUTE_TX })
  const response = await dispute(stage)
  assert.is(response.status, 200)
  assert.equal(await jsonOf(response), {
    job_id: JOB,
    dispute_opened: true,
    your_hash: publicHash(MINE),
    worker_hash: publicHash(THEIRS),
    dispute_tx: DISPUTE_TX,
    arbitration_window_hours: 24,
  })
  assert.equal(jobHeadersOf(response), ALL_HEADERS)
  assert.is(response.headers.get('x-svc-credits-remaining'), '1000')
  const [command] = stage.commands
  assert.ok(command?.type === 'DisputeJob')
  assert.equal([command.wallet, command.receivedHash], [WALLET, MINE])
})

Dispute('opened, and decided before we looked again: still opened', async ({ stage }) => {
  const upheld = { status: 'refunded', disputeTx: DISPUTE_TX, refundTx: REFUND_TX } as const
  answers(stage, accepted(disputed), { ...disputed, ...upheld })
  const body = await jsonOf(await dispute(stage))
  assert.equal([body.dispute_opened, body.dispute_tx], [true, DISPUTE_TX])
})

Dispute('a chain that is down: answers without the hash after 20 s', async ({ stage }) => {
  answers(stage, accepted(disputed), disputed)
  const startedAt = performance.now()
  const response = await dispute(stage)
  const tookMs = (performance.now() - startedAt) * 20
  assert.is(response.status, 200)
  const body = await jsonOf(response)
  assert.equal(
    [body.dispute_opened, body.dispute_tx, body.arbitration_window_hours],
    [true, null, 24],
  )
  assert.ok(tookMs >= 19_000, `${tookMs} ms`)
})

Dispute('a job that answers no more after it took the dispute: the same', async ({ stage }) => {
  stage.actor = ({ type }) => (type === 'DisputeJob' ? accepted(disputed) : undefined)
  const body = await jsonOf(await dispute(stage))
  assert.equal([body.dispute_opened, body.dispute_tx], [true, null])
})

Dispute('equal hashes: nothing opens; upper-case hex is the same hash', async ({ stage }) => {
  answers(stage, accepted(settled))
  const hex = 'CD'.repeat(32)
  const response = await dispute(stage, { received_output_hash: `sha256:${hex}` })
  assert.is(response.status, 200)
  assert.equal(await jsonOf(response), {
    job_id: JOB,
    dispute_opened: false,
    your_hash: publicHash(THEIRS),
    worker_hash: publicHash(THEIRS),
    dispute_tx: null,
    arbitration_window_hours: null,
  })
  assert.equal(jobHeadersOf(response), ALL_HEADERS)
  assert.is(stage.commands.length, 1)
})

Dispute('a body that holds no hash: 400 that names it, and no job is asked', async ({ stage }) => {
  const bad = [
    '',
    '{',
    '[]',
    '"sha256:"',
    '{}',
    { received_output_hash: null },
    { received_output_hash: 5 },
    { received_output_hash: '' },
    { received_output_hash: MINE },
    { received_output_hash: 'ab'.repeat(32) },
    { received_output_hash: `sha256:${'ab'.repeat(31)}` },
    { received_output_hash: `sha256:${'ab'.repeat(33)}` },
    { received_output_hash: `sha256:${'xy'.repeat(32)}` },
    { received_output_hash: `sha256:${'ab'.repeat(32)}\n` },
    { received_output_hash: `md5:${'ab'.repeat(32)}` },
    { receivedOutputHash: publicHash(MINE) },
  ]
  for (const body of bad) {
    const response = await dispute(stage, body)
    const { error } = await jsonOf(response)
    const what = JSON.stringify(body)
    assert.is(response.status, 400, what)
    assert.equal([error.code, error.param], ['invalid_request', 'received_output_hash'], what)
  }
  const bare = await call(stage, `/v1/jobs/${JOB}/dispute`, { method: 'POST' })
  assert.equal([bare.status, (await jsonOf(bare)).error.param], [400, 'received_output_hash'])
  const form = await dispute(stage, 'a=b')
  assert.is((await jsonOf(form)).error.param, 'received_output_hash')
  assert.equal(stage.commands, [])
})

Dispute('no such job, by whatever name: one and the same 404', async ({ stage }) => {
  const stranger = { ...settled, wallet: toAddress(`0x${'99'.repeat(20)}`) }
  const replies: [JobReply, JobView?][] = [
    [{ type: 'unknown_job' }],
    [{ type: 'refused', reason: 'job_not_found' }],
    [{ type: 'refused', reason: 'job_not_found' }, stranger],
    [{ type: 'unknown_job' }, stranger],
  ]
  const bodies = new Set<string>()
  for (const [reply, look] of replies) {
    answers(stage, reply, ...(look ? [look] : []))
    const response = await dispute(stage)
    assert.is(response.status, 404)
    assert.equal(jobHeadersOf(response), [null, null, null, null])
    bodies.add(await response.text())
  }
  assert.is(bodies.size, 1)
  assert.match([...bodies][0]!, 'job_not_found')
  const response = await call(stage, '/v1/jobs/nonsense/dispute', {
    method: 'POST',
    body: { received_output_hash: publicHash(MINE) },
  })
  assert.equal([response.status, (await jsonOf(response)).error.code], [404, 'job_not_found'])
})

Dispute('what the job refuses, with the headers of the job', async ({ stage }) => {
  const running = viewOf(JOB, { status: 'processing', escrowTx: ESCROW_TX, worker: WORKER })
  for (const [reason, status, view, headers] of [
    ['job_not_completed', 409, running, [JOB, ESCROW_TX, null, WORKER]],
    ['dispute_already_open', 409, disputed, ALL_HEADERS],
    ['dispute_window_expired', 422, settled, ALL_HEADERS],
  ] as const) {
    answers(stage, { type: 'refused', reason }, view)
    const response = await dispute(stage)
    const { error } = await jsonOf(response)
    assert.equal([response.status, error.code, error.param], [status, reason, null])
    assert.equal(jobHeadersOf(response), headers)
    assert.is(response.headers.get('x-should-retry'), status === 409 ? 'false' : null)
  }
})

Dispute('a job so old that only its copy is left: its window is over', async ({ stage }) => {
  const failed = viewOf(JOB, { status: 'failed' })
  answers(stage, { type: 'unknown_job' })
  for (const [version, view, status, code] of [
    [1, settled, 422, 'dispute_window_expired'],
    [2, failed, 409, 'job_not_completed'],
  ] as const) {
    await stage.jobViews.put([{ view, version }])
    const response = await dispute(stage)
    assert.equal([response.status, (await jsonOf(response)).error.code], [status, code])
  }
})

Dispute('what the chain refuses afterwards is told as it is', async ({ stage }) => {
  for (const [view, status, code] of [
    [settled, 422, 'dispute_window_expired'],
    [viewOf(JOB, { status: 'failed', refundTx: REFUND_TX }), 409, 'job_not_completed'],
  ] as const) {
    answers(stage, accepted(disputed), disputed, view)
    const response = await dispute(stage)
    assert.equal([response.status, (await jsonOf(response)).error.code], [status, code])
  }
})

Dispute('a job that does not answer: 503', async ({ stage }) => {
  stage.actor = () => undefined
  const response = await dispute(stage)
  assert.equal([response.status, (await jsonOf(response)).error.code], [503, 'service_unavailable'])
})

Dispute('a question that is repeated is one dispute', async () => {
  const stage = await openStage()
  try {
    const view = { ...disputed, disputeTx: DISPUTE_TX }
    stage.actor = () => (stage.commands.length === 1 ? undefined : accepted(view))
    assert.is((await dispute(stage)).status, 200)
    const ids = stage.commands.map((command) => command.type === 'DisputeJob' && command.requestId)
    assert.is(ids.length, 2)
    assert.is(new Set(ids).size, 1)
  } finally {
    await stage.close()
  }
})

Dispute('two requests are two disputes', async ({ stage }) => {
  answers(stage, accepted(settled), settled)
  await dispute(stage)
  await dispute(stage)
  const ids = stage.commands.flatMap((command) =>
    command.type === 'DisputeJob' ? [command.requestId] : [],
  )
  assert.is(new Set(ids).size, 2)
})

Dispute('without a key 401, by another method 405', async ({ stage }) => {
  const path = `/v1/jobs/${JOB}/dispute`
  const bare = await call(stage, path, { key: null, method: 'POST', body: {} })
  assert.is(bare.status, 401)
  const get = await call(stage, path)
  assert.equal([get.status, get.headers.get('allow')], [405, 'POST'])
})

Dispute.run()
