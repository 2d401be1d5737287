import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { toCredits } from '../../../src/domain/credits.ts'
import { outputHash } from '../../../src/domain/hash.ts'
import { completionId, type JobId, toAddress, toJobId } from '../../../src/domain/ids.ts'
import { addMs, toUnixMs } from '../../../src/domain/time.ts'
import type { JobView } from '../../../src/messages/job-view.ts'
import { viewOf } from '../../fakes/jobs/views.ts'
import type { Call } from '../chain/calls.ts'
import { questionOf } from './call-plan.ts'
import type { Heard } from './exchange.ts'
import { judge, type Verdicts } from './judge.ts'
import { readAnswer } from './read-answer.ts'
import { type ToldChat, type ToldDispute, Witness } from './witness.ts'

const WALLET = toAddress(`0x${'01'.repeat(20)}`)
const JOB = toJobId(`job_${'1'.repeat(26)}`)
const OTHER_JOB = toJobId(`job_${'2'.repeat(26)}`)
const CALLER = 'caller-1'
const TEXT = `${JOB}@worker ${questionOf(CALLER)} some text`
const NOW = toUnixMs(1_000_000)
const TX = outputHash('a transaction')

const settled = viewOf(JOB, 'settled', {
  wallet: WALLET,
  completedAt: NOW,
  proofHash: outputHash(TEXT),
  usage: { promptTokens: 1, completionTokens: 3 },
})
const opened: ToldDispute = {
  name: 'caller',
  wallet: WALLET,
  jobId: JOB,
  sent: outputHash('other'),
  askedAt: NOW,
  endedAt: NOW,
  end: 'whole',
  status: 200,
  body: { dispute_opened: true },
}
const refunded: JobView = {
  ...settled,
  status: 'refunded',
  charged: toCredits(0),
  settlementTx: null,
  refundTx: outputHash('refund'),
  proofHash: null,
  usage: null,
}

const JSON_HEADERS = { 'content-type': 'application/json' }
const plain = (text: string, jobId = JOB): Heard => ({
  status: 200,
  headers: { ...JSON_HEADERS, 'x-svc-job-id': jobId, 'x-svc-worker': settled.worker },
  trailers: {},
  text: JSON.stringify({
    id: completionId(jobId),
    choices: [{ message: { content: text }, finish_reason: 'stop' }],
    usage: { completion_tokens: 3 },
  }),
})
const refusal = (status: number, code: string, details = {}): Heard => ({
  status,
  headers: { ...JSON_HEADERS, 'x-svc-job-id': JOB },
  trailers: {},
  text: JSON.stringify({ error: { code, message: 'no', details } }),
})
const told = (heard: Heard, more: Partial<ToldChat> = {}): ToldChat => ({
  name: `${CALLER}.1`,
  caller: CALLER,
  wallet: WALLET,
  edge: 'edge-1',
  key: 'key',
  jobId: JOB,
  end: 'whole',
  status: heard.status,
  headers: heard.headers,
  answer: readAnswer(heard, true),
  askedAt: NOW,
  at: NOW,
  ...more,
})

function verdict(
  chats: readonly ToldChat[],
  views: readonly JobView[] = [settled],
  disputes: readonly ToldDispute[] = [],
  { wasUndone = () => false, ...more }: Partial<Verdicts> = {},
): readonly string[] {
  const witness = new Witness()
  witness.chats.push(...chats)
  witness.disputes.push(...disputes)
  witness.noteSigned(JOB, TEXT)
  return judge(witness, {
    view: (jobId) => views.find(({ id }) => id === jobId),
    memoryWasLost: false,
    wasUndone,
    ...more,
    disputeWindowMs: 60_000,
    keyMs: 150_000,
    clocksApartMs: 100,
  })
}

/** Exactly one flaw, of this kind. */
function says(flaws: readonly string[], pattern: RegExp): void {
  assert.is(flaws.length, 1, flaws.join('\n'))
  assert.match(flaws[0]!, pattern)
}

test('an answer that is settled as it was told is no flaw', () => {
  assert.equal(verdict([told(plain(TEXT))]), [])
})

test('an answer to a job that is refunded, or nowhere', () => {
  says(verdict([told(plain(TEXT))], [refunded]), /which is refunded/)
  says(verdict([told(plain(TEXT))], []), /which is nowhere/)
})

test('a text that no worker proved', () => {
  const flaws = verdict([told(plain(`${TEXT} twice`))])
  assert.match(flaws.join('\n'), /no worker proved this text/)
  assert.match(flaws.join('\n'), /another proof/)
})

test('a text of another job', () => {
  const text = `${OTHER_JOB}@worker some text`
  assert.match(verdict([told(plain(text))]).join('\n'), /text of another job/)
  const another = told(plain(TEXT), { caller: 'caller-11' })
  says(verdict([another]), /text to another question/)
})

test('a timeout of a job that is paid', () => {
  const flaws = verdict([told(refusal(504, 'job_timeout'))])
  assert.match(flaws.join('\n'), /told 504 of job_1+, which is settled/)
  assert.match(flaws.join('\n'), /is charged, and all that its callers were told/)
  const whole = refusal(504, 'job_timeout', { job_id: JOB, credits_refunded: 100 })
  assert.equal(verdict([told(whole)], [refunded]), [])
  const half = refusal(504, 'job_timeout', { job_id: JOB, credits_refunded: 50 })
  says(verdict([told(half)], [refunded]), /50 come back, of 100/)
})

test('a charge for a job that every caller was refused', () => {
  says(verdict([told(refusal(503, 'service_unavailable'))]), /is charged, and all/)
  const broken = told(refusal(503, 'service_unavailable'), { end: 'broken' })
  assert.equal(verdict([broken]), [])
})

test('two paid jobs under one key', () => {
  const second = told(refusal(503, 'service_unavailable'), { jobId: OTHER_JOB, end: 'broken' })
  const views = [settled, { ...settled, id: OTHER_JOB }]
  assert.match(
    verdict([told(plain(TEXT)), second], views).join('\n'),
    /is charged for job_1+, job_2/,
  )
  const later = { ...settled, id: OTHER_JOB, createdAt: addMs(settled.createdAt, 151_000) }
  const apart = verdict([told(plain(TEXT)), second], [settled, later])
  assert.not.match(apart.join('\n'), /is charged for/)
})

test('a request that never ended', () => {
  const nothing: Heard = { status: undefined, headers: {}, text: '', trailers: {} }
  says(verdict([told(nothing, { end: 'no_end' })], [refunded]), /never ended/)
})

test('a stream that ends without a word, or goes on after its end', () => {
  const chunk = (content: string, role?: string) =>
    `data: ${JSON.stringify({ id: completionId(JOB), choices: [{ delta: { ...(role ? { role } : {}), content }, finish_reason: null }] })}\n\n`
  const headers = { 'content-type': 'text/event-stream', 'x-svc-job-id': JOB }
  const stream = (text: string): Heard => ({ status: 200, headers, trailers: {}, text })
  const begun = chunk(TEXT, 'assistant')
  says(verdict([told(stream(begun))]), /no word of its end/)
  const again = verdict([told(stream(`${begun}data: [DONE]\n\n${chunk('more')}`))])
  assert.match(again.join('\n'), /something after the last event/)
})

test('an answer to a job that the chain has undone, and what its dispute was told', () => {
  const failed: JobView = { ...refunded, status: 'failed' }
  const agrees: ToldDispute = { ...opened, body: { dispute_opened: false } }
  assert.is(verdict([told(plain(TEXT))], [failed], [agrees]).length, 2)
  assert.equal(
    verdict([told(plain(TEXT))], [failed], [agrees], { wasUndone: ({ id }) => id === JOB }),
    [],
  )
})

test('a dispute that was told to be open, and is not', () => {
  says(verdict([], [settled], [opened]), /told opened, and is not/)
  const late = { ...opened, status: 422, body: { error: { code: 'dispute_window_expired' } } }
  says(verdict([], [settled], [late]), /too late, in time/)
  const atItsEnd = { ...late, endedAt: addMs(NOW, 59_900) }
  assert.equal(verdict([], [settled], [atItsEnd]), [])
})

test('a dispute that was told to be open after its window, or that claims another hash', () => {
  const disputed: JobView = {
    ...settled,
    ...{ status: 'disputed', disputeTx: outputHash('dispute'), disputedHash: opened.sent },
  }
  assert.equal(verdict([], [disputed], [{ ...opened, askedAt: addMs(NOW, 60_100) }]), [])
  const late = { ...opened, askedAt: addMs(NOW, 60_101) }
  says(verdict([], [disputed], [late]), /told opened, and it was too late/)
  const other = { ...disputed, disputedHash: outputHash('another') }
  says(verdict([], [other], [opened]), /opened for 0x/)
  const byWallet = { callOf: (): Call => ({ type: 'openDispute', jobId: JOB, claimedHash: TX }) }
  assert.equal(verdict([], [other], [opened], byWallet), [], 'the wallet was faster on chain')
})

test('a dispute that was refused for another, which only its wallet can have opened on chain', () => {
  const disputed: JobView = { ...settled, status: 'disputed', disputeTx: TX, disputedHash: TX }
  const refused = { ...opened, status: 409, body: { error: { code: 'dispute_already_open' } } }
  says(verdict([], [disputed], [refused]), /told that another is open/)
  const byWallet = { callOf: (): Call => ({ type: 'openDispute', jobId: JOB, claimedHash: TX }) }
  assert.equal(verdict([], [disputed], [refused], byWallet), [])
})

test('a worker, or a transaction, that is not that of the job', () => {
  const wholly = plain(TEXT)
  const naming = (more: Readonly<Record<string, unknown>>) =>
    told({ ...wholly, headers: { ...wholly.headers, ...more } })
  says(verdict([naming({ 'x-svc-worker': WALLET })]), /told of another worker/)
  const lock = outputHash('lock')
  const locks = (jobId: JobId) => (): Call => ({
    ...{ type: 'lockBatch', items: [{ jobId, wallet: WALLET, credits: 8n, tier: 1 }] },
  })
  const toldOf = naming({ 'x-svc-tx-hash': lock })
  assert.equal(verdict([toldOf], [settled], [], { callOf: locks(JOB) }), [])
  says(verdict([toldOf], [settled], [], { callOf: locks(OTHER_JOB) }), /is lockBatch, and not of/)
  says(verdict([toldOf], [settled], [], { callOf: () => undefined }), /is no transaction/)
  const settledBy = naming({ 'x-svc-settlement-tx': lock })
  says(verdict([settledBy], [settled], [], { callOf: locks(JOB) }), /settlement-tx 0x/)
})

test('who is told to have more left than it can have, after what it paid for', () => {
  const { charged } = settled
  const left = (credits: bigint, more: Partial<ToldChat> = {}) => {
    const headers = { ...plain(TEXT).headers, 'x-svc-credits-remaining': String(credits) }
    return told({ ...plain(TEXT), headers }, more)
  }
  const depositedBy = () => 100n
  const of = (chats: readonly ToldChat[], views = [settled]) =>
    verdict(chats, views, [], { depositedBy })
  assert.equal(of([left(100n - charged)]), [])
  says(of([left(101n - charged)]), /credits are left/)
  const second: JobView = { ...settled, id: OTHER_JOB }
  const earlier = { askedAt: addMs(NOW, -2), at: addMs(NOW, -1) }
  const first = left(100n - charged, { jobId: OTHER_JOB, key: 'other', ...earlier })
  const flaws = of([first, left(100n - charged)], [settled, second])
  assert.is(flaws.filter((flaw) => /credits are left/.test(flaw)).length, 1)
})

test.run()
