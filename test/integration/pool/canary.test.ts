import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  Completion_FinishReason,
  type Offer,
  Standing_State,
} from '../../../proto/gen/svc/worker/v1/worker.ts'
import { parseJobId } from '../../../src/domain/ids.ts'
import type { StandingReply } from '../../../src/messages/pool.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { whyNoJobs } from '../../../src/worker/status/why-no-jobs.ts'
import {
  CANARY,
  lastStanding,
  onCanary,
  passes,
  record,
  refusedNow,
} from '../../fakes/pool/canaries.ts'
import { inHouse } from '../../fakes/pool/house.ts'
import { Rogue } from '../../fakes/pool/rogue.ts'
import { identity, MODEL, PoolStage } from '../../fakes/pool/stage.ts'
import { stream } from '../../fakes/pool/upstream.ts'
import { until } from '../../until.ts'

/** What a worker must show before it is offered paid jobs. */
const Canaries = suite('pool: canary jobs')

const OTHER_MODEL = 'Qwen/Qwen3-14B'
const WAIT_MS = 30_000

Canaries(
  'an honest agent passes before its first paid job, and nothing of it is counted',
  inHouse(async ({ stage, serve, upstream }) => {
    await serve()
    assert.is(upstream.requests.length, 1, 'the canary came first')
    const agent = stage.lastAgent()
    const { jobId } = await stage.offer()
    await stage.hears(jobId, 'CompleteJob')
    await until('a standing', () => agent.report().standing?.jobsFinished === 1, WAIT_MS)
    const { standing, jobsDone, unitsEarned } = agent.report()
    assert.equal([jobsDone, unitsEarned], [1, '60000'])
    assert.equal([standing?.jobsOffered, standing?.models[0]?.jobsPerMinute], [1, 1])
    await until('one first token to be measured', () => stage.load()?.measured === 1, WAIT_MS)
    assert.ok(stage.told.every((command) => command.jobId === jobId))
    assert.is(stage.outputs.answers.size, 1)
    assert.ok(record(stage)?.models[MODEL])
  }, CANARY),
)

Canaries(
  'a canary job is short, marked, of an id that no job has, and measures nothing',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(1)
    await until('the canary job', () => worker.offers.length === 1, WAIT_MS)
    const [offer] = worker.offers as [Offer]
    assert.ok(offer.canary && parseJobId(offer.jobId).ok)
    assert.match(offer.jobId, /^job_unpaid/)
    assert.ok(offer.maxOutputTokens < 100)
    // Nobody is told that the model is served, and nobody gets a job there.
    assert.is(stage.workers(), 0)
    await refusedNow(stage)
    onCanary(worker, passes(worker))
    await until('the model to be open', () => stage.workers() === 1, WAIT_MS)
    await until('its slot to be free', () => stage.load()?.busy === 0, WAIT_MS)
    assert.is(stage.load()?.measured, 0)
    const { jobId } = await stage.offer()
    await stage.hears(jobId, 'CompleteJob')
    assert.not(worker.offers[1]?.canary)
  }, CANARY),
)

Canaries(
  'a worker of five models that serves one gets jobs of that one',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(1, { models: [OTHER_MODEL, MODEL] })
    const standing = lastStanding(worker)
    onCanary(worker, (offer) => {
      if (offer.model === MODEL) return passes(worker)(offer)
      worker.accept(offer.jobId)
      const message = 'model not found'
      worker.say({ $case: 'failure', value: { jobId: offer.jobId, reason: 1, message } })
    })
    await until('the model that it serves', () => stage.workers() === 1, WAIT_MS)
    await refusedNow(stage, OTHER_MODEL)
    const { jobId } = await stage.offer()
    await stage.hears(jobId, 'CompleteJob')
    await until('the reason', () => /model not found/.test(standing.now?.reason ?? ''), WAIT_MS)
    assert.is(standing.now?.state, Standing_State.STATE_READY)
    assert.match(standing.now!.reason, OTHER_MODEL)

    // The operator far away is told the same, without the words of the engine.
    const asked = (key: number): Promise<StandingReply> =>
      stage.bus.request(SUBJECTS.poolStanding('p'), { worker: identity(key).address }, WAIT_MS)
    const told = await asked(1)
    if (told.type !== 'standing') throw new Error(`it is ${told.type}`)
    assert.equal([told.state, told.because, told.restingUntil], ['ready', null, null])
    assert.equal(
      told.models.map(({ id }) => id),
      [MODEL],
    )
    assert.is(told.jobs.finished, 1)
    assert.equal(
      told.awaited.map(({ id }) => id),
      [OTHER_MODEL],
    )
    assert.ok(told.awaited[0]!.failures > 0 && told.awaited[0]!.nextAt !== null)
    assert.not.match(JSON.stringify(told), /model not found/)
    assert.equal(await asked(2), { type: 'absent' })
  }, CANARY),
)

Canaries(
  'an upstream that is down: the operator reads so, and it is tried again',
  inHouse(async ({ stage, serve, upstream }) => {
    let tries = 0
    upstream.answer = (_request, response) => {
      if (++tries > 1) return stream(response, ['back'])
      response.statusCode = 500
      response.end('{"error":{"message":"out of memory"}}')
    }
    const joined = serve(undefined)
    joined.catch(() => {})
    await until('the canary job', () => tries > 0, WAIT_MS)
    const agent = stage.lastAgent()
    const why = () => whyNoJobs(agent.report(), Date.now()) ?? ''
    await until(why, () => /its engine failed.*Is the inference server up/.test(why()), WAIT_MS)
    await until('the second try to pass', () => stage.workers() === 1, WAIT_MS)
    assert.is(tries, 2)
  }, CANARY),
)

Canaries(
  'who has passed need not again: at this pool or at another, until its software changes',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(1)
    onCanary(worker, passes(worker))
    await until('what it has shown to be kept', () => record(stage) !== undefined, WAIT_MS)
    worker.vanish()
    await until('it to leave', () => stage.workers() === 0, WAIT_MS)

    const again = await rogue(1)
    await until('it to be back', () => stage.workers() === 1, WAIT_MS)
    assert.is(again.offers.length, 0)
    again.vanish()
    await until('it to leave', () => stage.workers() === 0, WAIT_MS)

    const updated = await rogue(1, { agent: 'test 2' })
    await until('a canary job', () => updated.offers[0]?.canary === true, WAIT_MS)
    assert.is(stage.workers(), 0)
  }, CANARY),
)

Canaries(
  'a worker that breaks the rules has to pass again',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(1)
    onCanary(worker, passes(worker))
    await until('it to pass', () => stage.workers() === 1 && record(stage) !== undefined, WAIT_MS)
    worker.onOffer = ({ jobId }) => {
      worker.accept(jobId)
      worker.chunk(jobId, 0, 'one')
      worker.complete(jobId, 'one', 1, { hashOf: 'two' })
    }
    const { jobId } = await stage.offer()
    assert.is((await stage.hears(jobId, 'FailWorker')).reason, 'bad_proof')
    await until('its model to be closed', () => stage.workers() === 0, WAIT_MS)
    await until('what it had shown to be void', () => record(stage) === undefined, WAIT_MS)
  }, CANARY),
)

Canaries(
  'one that thinks first gets room for it',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(1)
    const caps: number[] = []
    onCanary(worker, (offer) => {
      caps.push(offer.maxOutputTokens)
      if (caps.length > 1) return passes(worker)(offer)
      worker.accept(offer.jobId)
      const finishReason = Completion_FinishReason.FINISH_REASON_LENGTH
      worker.complete(offer.jobId, '', 0, { outputTokens: 0, finishReason })
    })
    await until('it to pass', () => stage.workers() === 1, WAIT_MS)
    assert.ok(caps[1]! > caps[0]!)
  }, CANARY),
)

Canaries(
  'a worker that leaves or vanishes in the middle is held nothing against',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(1)
    await until('the canary job', () => worker.offers.length === 1, WAIT_MS)
    worker.accept(worker.offers[0]!.jobId)
    worker.vanish()
    await until('it to be gone', () => worker.ended !== undefined, WAIT_MS)
    const back = await rogue(1)
    onCanary(back, passes(back))
    await until('it to pass', () => stage.workers() === 1, WAIT_MS)
    assert.is(stage.strikes.entries.size, 0)
  }, CANARY),
)

for (const isSeen of [true, false]) {
  Canaries(
    `a stream breaks, ${isSeen ? 'and' : 'not that'} the pool sees it: a paid job goes on, a canary job begins anew`,
    inHouse(async ({ stage, rogue }) => {
      const hello = { slots: 2, models: [MODEL, OTHER_MODEL], resumes: true }
      const worker = await rogue(1, hello)
      const held: Offer[] = []
      worker.onOffer = (offer) => {
        if (offer.canary && offer.model === MODEL) return passes(worker)(offer)
        worker.accept(offer.jobId)
        held.push(offer)
      }
      worker.offers.forEach(worker.onOffer)
      await until('one of two', () => stage.workers() === 1 && held.length === 1, WAIT_MS)
      const { jobId } = await stage.offer()
      await until('the paid job', () => held.length === 2, WAIT_MS)
      worker.chunk(jobId, 0, 'go')
      await until('its first text', () => stage.textOf(jobId) === 'go', WAIT_MS)
      if (isSeen) {
        worker.vanish()
        await until('it to be gone', () => worker.ended !== undefined, WAIT_MS)
      }

      const back = await rogue(1, { ...hello, token: worker.welcome!.sessionToken })
      assert.equal(back.welcome?.resumed, [{ jobId, nextSeq: 1 }])
      back.accept(jobId)
      back.chunk(jobId, 1, ' on')
      back.complete(jobId, 'go on', 2)
      await stage.hears(jobId, 'CompleteJob', WAIT_MS)
      onCanary(back, passes(back))
      await until('the other model', () => stage.workers(OTHER_MODEL) === 1, WAIT_MS)
      assert.is(stage.workers(), 1)
      assert.is(back.offers.filter(({ model }) => model === MODEL).length, 0)
      assert.is(stage.strikes.entries.size, 0)
    }, CANARY),
  )
}

Canaries(
  'what it has shown at one pool is good at another, and at one that begins anew',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(1)
    onCanary(worker, passes(worker))
    await until('what it has shown to be kept', () => record(stage) !== undefined, WAIT_MS)
    const { admitted } = stage
    const other = await new PoolStage({ canary: true, admitted }).open()
    const same = new Rogue(other.url, 1)
    try {
      await until('it to be let in', () => other.workers() === 1, WAIT_MS)
      assert.is(same.offers.length, 0)
    } finally {
      same.vanish()
      await other.close()
    }
  }, CANARY),
)

Canaries(
  'a canary job holds the slot that it runs in',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(1, { slots: 1, models: [MODEL, OTHER_MODEL] })
    const held: Offer[] = []
    onCanary(worker, (offer) => {
      if (offer.model === MODEL) return passes(worker)(offer)
      worker.accept(offer.jobId)
      held.push(offer)
    })
    await until('the second canary job', () => held.length === 1, WAIT_MS)
    const { jobId, reply } = await stage.offer()
    assert.equal(reply, { type: 'taken' })
    await until('the first model to be open', () => stage.workers() === 1, WAIT_MS)
    assert.is(stage.load()?.slots, 1)
    await until('the job to wait for the slot', () => stage.load()?.queued === 1, WAIT_MS)
    passes(worker)({ ...held[0]! })
    await stage.hears(jobId, 'CompleteJob', WAIT_MS)
  }, CANARY),
)

Canaries.run()
