import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  Failure_Reason,
  Completion_FinishReason as Finish,
  Refusal_Reason,
  type Standing,
  Standing_State,
} from '../../../proto/gen/svc/worker/v1/worker.ts'
import { makeJobId, parseJobId } from '../../../src/domain/ids.ts'
import { addMs, toUnixMs } from '../../../src/domain/time.ts'
import { ADMISSION_MS, admittedModels } from '../../../src/messages/admission.ts'
import { Run } from '../../../src/pool/attempt/run.ts'
import { Admissions } from '../../../src/pool/canary/admissions.ts'
import { Canaries } from '../../../src/pool/canary/canaries.ts'
import { canaryJob, canaryPrompt } from '../../../src/pool/canary/canary-job.ts'
import { Retries } from '../../../src/pool/canary/retries.ts'
import { withAwaited } from '../../../src/pool/canary/standing.ts'
import { readAnswer, readFailed, readRefusal } from '../../../src/pool/canary/verdict.ts'
import type { Placements } from '../../../src/pool/placement/placement.ts'
import type { Session } from '../../../src/pool/session/session.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { MemoryRegistry } from '../../fakes/memory-registry.ts'
import { A, job, NOW, RegistryHouse } from '../../fakes/pool/registry-house.ts'

const MODEL = 'Qwen/Qwen3-8B'
const SOFTWARE = 'agent/1, engine'
const WORKER = { address: A, software: SOFTWARE }
const log = makeLog('test', 'silent')

const Jobs = suite('canary: the job')

Jobs('its id is a job id that no real job can have, and new each time', () => {
  const ids = Array.from({ length: 50 }, () => canaryJob(MODEL, false, systemClock).jobId)
  assert.is(new Set(ids).size, 50)
  for (const id of ids) {
    assert.ok(parseJobId(id).ok)
    assert.match(id, /^job_unpaid/)
  }
  // Of every time and all chance: `u` and `i` are not among the letters of a real one.
  for (let n = 0; n < 256; n++) {
    assert.not.match(makeJobId(toUnixMs(n * 2 ** 41), Buffer.alloc(16, n)).slice(4), /[ilou]/)
  }
})

Jobs('its first text is none that a caller waited for', () => {
  for (const isCanary of [true, false]) {
    let seen = 0
    const placements = { firstTokenMs: () => undefined, seeFirstToken: () => seen++ }
    const session = { profile: {}, send: () => {} } as unknown as Session
    const deps = { placements: placements as unknown as Placements, clock: systemClock }
    const offer = { ...canaryJob(MODEL, false, systemClock), isCanary }
    const run = new Run(session, offer, deps)
    run.offer(canaryPrompt(MODEL))
    run.accept()
    run.add({ jobId: offer.jobId, seq: 0, text: 'one' })
    assert.is(seen, isCanary ? 0 : 1)
  }
})

const Verdicts = suite('canary: the verdict')

const completion = (outputTokens: number, finishReason = Finish.FINISH_REASON_STOP) => ({
  ...{ jobId: '', outputHash: Buffer.alloc(32), promptTokens: 1, outputTokens, completedAt: 0 },
  ...{ signature: Buffer.alloc(64), chunks: 1, finishReason },
})
const offered = canaryJob(MODEL, false, systemClock)
const verdictOf = (text: string, tokens: number, finish?: Finish) =>
  readAnswer(text, completion(tokens, finish), offered)

Verdicts('an answer passes whose count fits its text', () => {
  const passed = { type: 'passed' }
  assert.equal(verdictOf('one, two, three', 6), passed)
  assert.equal(verdictOf('one, two, three', 24, Finish.FINISH_REASON_LENGTH), passed)
  assert.equal(verdictOf('x'.repeat(32), 1), passed)
  assert.is(verdictOf('x'.repeat(33), 1).type, 'failed')
  assert.is(verdictOf('x', 0).type, 'failed')
})

Verdicts('nothing said: all thought away, or failed', () => {
  assert.equal(verdictOf('', 24, Finish.FINISH_REASON_LENGTH), { type: 'thought' })
  assert.is(verdictOf('', 0).type, 'failed')
  assert.is(verdictOf('', 0, Finish.FINISH_REASON_CONTENT_FILTER).type, 'failed')
  assert.is(verdictOf('x', 1, Finish.FINISH_REASON_UNSPECIFIED).type, 'failed')
  assert.is(verdictOf('x', 1, 17 as Finish).type, 'failed')
})

Verdicts('a failure is told in the words of the worker, made harmless', () => {
  const failure = (reason: Failure_Reason, message = '') =>
    readFailed({ jobId: '', reason, message }, offered)
  const down = failure(Failure_Reason.REASON_ENGINE, 'http://x/v1 cannot be\n\u001b[31m reached')
  assert.equal(down, {
    type: 'failed',
    why:
      'its engine failed: http://x/v1 cannot be  [31m reached. Is the inference server up, and has ' +
      `it ${MODEL}?`,
  })
  const full = failure(Failure_Reason.REASON_OVERLOADED, 'upstream answered 429')
  assert.ok(
    full.type === 'failed' && full.why.startsWith('its inference server had no room for it:'),
  )
  const long = failure(Failure_Reason.REASON_INVALID_REQUEST, 'x'.repeat(5_000))
  assert.ok(long.type === 'failed' && long.why.length < 500)
  for (const reason of [2, 4, 5, 6, 99] as Failure_Reason[]) {
    assert.is(failure(reason).type, 'failed')
  }
})

Verdicts('a refusal for want of a slot says nothing, one for want of speed does', () => {
  for (const reason of [Refusal_Reason.REASON_BUSY, Refusal_Reason.REASON_DRAINING]) {
    assert.equal(readRefusal(reason), { type: 'nothing' })
  }
  assert.is(readRefusal(Refusal_Reason.REASON_TOO_LATE).type, 'failed')
  assert.is(readRefusal(Refusal_Reason.REASON_UNSPECIFIED).type, 'failed')
})

const Again = suite('canary: tried again')

Again('later each time, up to two minutes; at once with other software', () => {
  const retries = new Retries()
  assert.ok(retries.isDue(WORKER, MODEL, NOW))
  const spans = Array.from({ length: 8 }, () => {
    return retries.failed(WORKER, MODEL, 'why', NOW).nextAt - NOW
  })
  assert.equal(spans, [5_000, 10_000, 20_000, 40_000, 80_000, 120_000, 120_000, 120_000])
  assert.not(retries.isDue(WORKER, MODEL, addMs(NOW, 119_999)))
  assert.ok(retries.isDue(WORKER, MODEL, addMs(NOW, 120_000)))
  assert.ok(retries.isDue(WORKER, 'other/model', NOW))
  assert.ok(retries.isDue({ ...WORKER, software: 'agent/2' }, MODEL, NOW))
})

Again('one that was busy soon, and its failures are not forgotten for it', () => {
  const retries = new Retries()
  retries.failed(WORKER, MODEL, 'why', NOW)
  retries.soon(WORKER, MODEL, NOW)
  const { failures, nextAt, why } = retries.of(WORKER, MODEL)!
  assert.equal([failures, nextAt - NOW, why], [1, 2_000, 'why'])
  retries.passed(WORKER, MODEL)
  assert.is(retries.of(WORKER, MODEL), undefined)
})

const Kept = suite('canary: what is remembered')

Kept('for a day, and for the same software', () => {
  const record = { software: SOFTWARE, models: { [MODEL]: NOW } }
  const at = (ms: number, software = SOFTWARE) => [
    ...admittedModels(record, software, addMs(NOW, ms)).keys(),
  ]
  assert.equal(at(ADMISSION_MS - 1), [MODEL])
  assert.equal(at(ADMISSION_MS), [])
  assert.equal(at(0, 'agent/2, engine'), [])
  // A pool whose clock was far ahead wrote it.
  assert.equal(at(-2 * ADMISSION_MS), [])
})

Kept('anew while the worker serves, so that it need not show it all again', async () => {
  const clock = new ManualClock()
  const admitted = new MemoryRegistry()
  const unheard = () => {}
  const canaries = new Canaries({
    ...{ admitted, clock, time: clock, log, separator: new Uint8Array(32) },
    ...{ placements: {} as Placements, onChange: unheard, onVerdict: unheard },
  })
  const hours = (count: number) => count * 3_600_000
  const shown = new Map([[MODEL, addMs(clock.now(), -hours(11))]])
  canaries.join({ address: A, profile: { ...WORKER, shown } } as unknown as Session)
  await clock.advance(hours(0.9))
  assert.is(admitted.entries.size, 0, 'not each time')
  await clock.advance(hours(30))
  const kept = admittedModels(admitted.entries.get(A)?.value, SOFTWARE, clock.now()).get(MODEL)
  assert.ok(kept !== undefined && clock.now() - kept < hours(13))
  await canaries.stop()
})

Kept('what is no record is none', () => {
  for (const value of [
    undefined,
    null,
    7,
    {},
    { software: SOFTWARE },
    { software: SOFTWARE, models: { [MODEL]: 'long ago' } },
  ]) {
    assert.is(admittedModels(value, SOFTWARE, NOW).size, 0)
  }
})

Kept('two pools add to one record; what cannot be stored holds nobody up', async () => {
  const admitted = new MemoryRegistry()
  const [one, two] = [1, 2].map(() => new Admissions({ admitted, clock: systemClock, log }))
  const now = systemClock.now()
  one!.add(WORKER, new Map([['a/a', now]]))
  two!.add(WORKER, new Map([['b/b', now]]))
  await Promise.all([one!.settled(), two!.settled()])
  assert.equal([...(await one!.of(WORKER)).keys()].sort(), ['a/a', 'b/b'])
  one!.revoke(A)
  assert.is((await one!.of(WORKER)).size, 0, 'its own writes come first')
  admitted.failures = 99
  one!.add(WORKER, new Map([['a/a', now]]))
  await one!.settled()
  admitted.get = () => Promise.reject(new Error('no answer'))
  assert.is((await two!.of(WORKER)).size, 0)
})

const Slots = suite('canary: its slot')

Slots('is held and given back, and nothing is counted', () => {
  const house = new RegistryHouse()
  house.join(A, 1)
  assert.equal(house.say({ type: 'HoldCanary', address: A, jobId: job(9), at: NOW }), [
    'CanaryHeld 9 a',
  ])
  assert.equal(house.place(1), ['JobQueued'])
  assert.equal(house.free(A, 9, 'neutral'), ['SlotFreed 9 a', 'JobUnqueued 1', 'JobHeld 1 a'])
  const { tally, conduct } = house.registry.workers.get(A)!
  assert.equal(tally, { offered: 1, finished: 0, failed: 0, refused: 0 })
  assert.equal(conduct.outcomes, [])
})

Slots('is not had where none is free, at rest, on the way out, or unknown', () => {
  const hold = (house: RegistryHouse) =>
    house.say({ type: 'HoldCanary', address: A, jobId: job(9), at: NOW })
  const housed = () => {
    const house = new RegistryHouse()
    house.join(A, 1)
    return house
  }
  assert.equal(hold(new RegistryHouse()), [])
  const busy = housed()
  busy.place(1)
  assert.equal(hold(busy), [])
  const resting = housed()
  resting.say({ type: 'Blame', address: A, why: 'it lied', at: NOW })
  assert.equal(hold(resting), [])
  const leaving = housed()
  leaving.say({ type: 'DrainWorker', address: A })
  assert.equal(hold(leaving), [])
  const closing = housed()
  closing.say({ type: 'DrainPool' })
  assert.equal(hold(closing), [])
})

Slots('what it needs to its first token is not measured: the model is not open yet', () => {
  const house = new RegistryHouse()
  house.join(A, 1, ['other'])
  house.say({ type: 'HoldCanary', address: A, jobId: job(9), at: NOW })
  assert.equal(house.see(A, 120), [])
})

const Told = suite('canary: the standing')

const standing = (more: Partial<Standing> = {}): Standing => ({
  ...{ state: Standing_State.STATE_READY, restingUntil: 0, reason: '', jobsOffered: 0 },
  ...{ jobsFinished: 0, jobsFailed: 0, jobsRefused: 0, models: [], agentLatest: '1' },
  ...{ completionRate: undefined },
  ...more,
})
const failed = (model: string, inMs: number) => ({
  model,
  retry: { software: SOFTWARE, failures: 1, nextAt: addMs(NOW, inMs), why: 'it lied' },
})

Told('while it is tried for the first time it is ready, and reads what it waits for', () => {
  const { state, reason } = withAwaited(standing(), [{ model: MODEL, retry: undefined }], NOW)
  assert.is(state, Standing_State.STATE_READY)
  assert.is(reason, `no jobs of ${MODEL} before its canary job, an unpaid one, is done`)
})

Told('with nothing passed it is set aside until the next try', () => {
  const told = withAwaited(standing(), [failed('a/a', 9_000), failed('b/b', 4_000)], NOW)
  assert.is(told.state, Standing_State.STATE_RESTING)
  assert.is(told.restingUntil, NOW + 4_000)
  assert.match(
    told.reason,
    /no jobs of a\/a, since its canary job failed: it lied; no jobs of b\/b/,
  )
})

Told('with another model open it stays ready; what it rests for otherwise stays said', () => {
  const open = [{ id: 'c/c' }] as Standing['models']
  const ready = withAwaited(standing({ models: open }), [failed(MODEL, 9_000)], NOW)
  assert.is(ready.state, Standing_State.STATE_READY)
  assert.match(ready.reason, 'canary job failed')
  const resting = { state: Standing_State.STATE_RESTING, restingUntil: 7, reason: 'it broke' }
  const told = withAwaited(standing(resting), [failed(MODEL, 9_000)], NOW)
  assert.equal([told.state, told.restingUntil], [Standing_State.STATE_RESTING, 7])
  assert.match(told.reason, /^it broke; no jobs of/)
  assert.is(withAwaited(standing(), [], NOW).reason, '')
})

for (const each of [Jobs, Verdicts, Again, Kept, Slots, Told]) each.run()
