import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { status } from '@grpc/grpc-js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Standing, Standing_State } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { outputHash } from '../../../src/domain/hash.ts'
import { addMs } from '../../../src/domain/time.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { OpenAiEngine } from '../../../src/worker/engines/openai.ts'
import { SignedJobs } from '../../../src/worker/local/signed-jobs.ts'
import { whyNoJobs } from '../../../src/worker/status/why-no-jobs.ts'
import { inHouse } from '../../fakes/pool/house.ts'
import { identity, log, OTHER_WALLET, WALLET } from '../../fakes/pool/stage.ts'
import { data, stream } from '../../fakes/pool/upstream.ts'
import { emptyDisk, fillDisk } from '../../fakes/worker/full-disk.ts'
import { SOON_MS, until } from '../../until.ts'

/** What an operator sees, and what keeps a worker out of jobs that it cannot do. */
const OperatorSide = suite('pool and worker: the operator’s side')

OperatorSide(
  'the pool tells a worker how it stands, and the agent why it has no jobs',
  inHouse(async ({ stage, serve }) => {
    await serve()
    const agent = stage.lastAgent()
    await until('a first standing', () => agent.report().standing !== null, SOON_MS)
    const why = () => whyNoJobs(agent.report(), Date.now()) ?? ''
    assert.match(why(), 'no demand')

    const { jobId } = await stage.offer()
    await stage.hears(jobId, 'CompleteJob')
    await until(
      'a standing with the job',
      () => agent.report().standing?.jobsFinished === 1,
      SOON_MS,
    )
    const { standing, jobsDone, busy, unitsEarned, poolName } = agent.report()
    assert.is(jobsDone, 1)
    assert.is(busy, 0)
    assert.is(poolName, 'p')
    // 8 credits of the tier, three quarters of them.
    assert.is(unitsEarned, '60000')
    assert.is(standing?.completionRate, 1)
    assert.is(standing?.models[0]?.jobsPerMinute, 1)
    assert.is(standing?.models[0]?.rank, 1)
  }),
)

OperatorSide(
  'a worker whose jobs fail is told that it is set aside, for how long and why',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(1)
    const standings: Standing[] = []
    worker.onStanding = (standing) => standings.push(standing)
    worker.onOffer = ({ jobId }) => {
      worker.accept(jobId)
      worker.say({ $case: 'failure', value: { jobId, reason: 1, message: 'broken' } })
    }
    for (let i = 0; i < 5; i++) {
      const { jobId } = await stage.offer({ wallet: i % 2 ? OTHER_WALLET : WALLET })
      await stage.hears(jobId, 'FailWorker')
    }
    const resting = () =>
      standings.find(({ state }) => state === Standing_State.STATE_RESTING) as Standing
    await until('a standing that says it rests', () => resting() !== undefined, SOON_MS)
    assert.match(resting().reason, 'jobs failed')
    assert.ok(resting().restingUntil > 0)
    assert.ok(resting().jobsFailed >= 2)
  }),
)

OperatorSide(
  'an upstream that dies takes its worker out, and one that is back brings it back',
  inHouse(async ({ stage, serve, upstream }) => {
    await serve((_request, response) => response.destroy())
    const listing = upstream.models
    upstream.models = []
    const { jobId } = await stage.offer()
    await stage.hears(jobId, 'FailWorker')
    // A failed job makes the agent look at once, not at its next turn.
    await until('the worker to be out', () => stage.workers() === 0, 30_000)
    upstream.models = listing
    upstream.answer = (_request, response) => stream(response, ['back'])
    await until('the worker to be back', () => stage.workers() === 1, 30_000)
    const after = await stage.offer()
    await stage.hears(after.jobId, 'CompleteJob')
    assert.is(stage.textOf(after.jobId), 'back')
  }),
)

OperatorSide(
  'an offer that it cannot finish in time is refused, one with time enough is taken',
  inHouse(async ({ stage, serve }) => {
    // Two tokens, the second a second after the first.
    await serve((_request, response) =>
      stream(response, ['a', 'b'], { everyMs: 1_000, usage: { completion_tokens: 2 } }),
    )
    for (let i = 0; i < 3; i++) {
      const { jobId } = await stage.offer()
      await stage.hears(jobId, 'CompleteJob')
    }
    const late = await stage.offer({ deadlineAt: addSpan(700) })
    const refused = await stage.hears(late.jobId, 'FailWorker')
    assert.is(refused.reason, 'worker_refused')
    const agent = stage.lastAgent()
    await until(
      'the refusal to be counted',
      () => agent.report().standing?.jobsRefused === 1,
      SOON_MS,
    )
    const early = await stage.offer({ deadlineAt: addSpan(20_000) })
    await stage.hears(early.jobId, 'CompleteJob')
  }),
)

OperatorSide(
  'an upstream that hangs in the middle of an answer has failed',
  inHouse(async ({ stage, upstream }) => {
    upstream.answer = (_request, response) => {
      response.setHeader('content-type', 'text/event-stream')
      response.write(data({ choices: [{ index: 0, delta: { content: 'Once' } }] }))
    }
    const options = { url: upstream.url, apiKey: '', wanted: [], silenceMs: 300, log }
    await stage.agent(new OpenAiEngine(options))
    const { jobId } = await stage.offer()
    const failed = await stage.hears(jobId, 'FailWorker')
    assert.is(failed.reason, 'worker_error')
    assert.is(stage.lastAgent().report().jobsFailed, 1)
  }),
)

OperatorSide(
  'an agent that cannot write down what it signs takes no jobs until it can',
  inHouse(async ({ stage, upstream }) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-signed-'))
    const signed = SignedJobs.open(join(folder, 'signed.log'), 0)
    const engine = new OpenAiEngine({ url: upstream.url, apiKey: '', wanted: [], log })
    const agent = await stage.agent(engine, { signed })
    try {
      fillDisk()
      const first = await stage.offer()
      await stage.hears(first.jobId, 'FailWorker')
      await stage.offer()
      await until('a refusal', () => (agent.report().standing?.jobsRefused ?? 0) > 0, SOON_MS)
      assert.is(upstream.requests.length, 1, 'an answer that nobody could sign')
      assert.match(whyNoJobs(agent.report(), Date.now()) ?? '', 'Make room on the disk')
      emptyDisk()
      const third = await stage.offer()
      await stage.hears(third.jobId, 'CompleteJob')
    } finally {
      emptyDisk()
      signed.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }),
)

OperatorSide(
  'a job that was signed before is not taken again: a second answer would cost the stake',
  inHouse(async ({ stage, upstream }) => {
    const signed = new SignedJobs()
    const engine = new OpenAiEngine({ url: upstream.url, apiKey: '', wanted: [], log })
    await stage.agent(engine, { signed })
    const { jobId } = await stage.offer()
    await stage.hears(jobId, 'CompleteJob')
    upstream.answer = (_request, response) => stream(response, ['another', ' answer'])
    const again = await stage.offer({ jobId, attempt: 2 })
    assert.is((await stage.hears(again.jobId, 'FailWorker')).attempt, 2)
    assert.is(upstream.requests.length, 1)
    const other = { outputHash: outputHash('another answer'), outputTokens: 3, completedAt: 0 }
    assert.not(signed.claim({ jobId, ...other }))
  }),
)

OperatorSide(
  'a prompt far over the context that the upstream was started with never reaches it',
  inHouse(async ({ stage, upstream }) => {
    const options = { url: upstream.url, apiKey: '', wanted: [], contextWindow: 100, log }
    await stage.agent(new OpenAiEngine(options))
    assert.is(stage.load()?.contextWindow, 100)
    const content = 'word '.repeat(1_000)
    const { jobId } = await stage.offer({}, { messages: [{ role: 'user', content }] })
    assert.is((await stage.hears(jobId, 'FailWorker')).reason, 'context_length_exceeded')
    assert.is(upstream.requests.length, 0)
  }),
)

OperatorSide(
  'an agent that leaves for good finishes its job first',
  inHouse(async ({ stage, serve }) => {
    await serve((_request, response) => stream(response, ['a', 'b', 'c', 'd'], { everyMs: 100 }))
    const { jobId } = await stage.offer()
    await stage.hears(jobId, 'AssignWorker')
    const agent = stage.lastAgent()
    const left = agent.stop()
    assert.is(agent.report().phase, 'draining')
    await stage.hears(jobId, 'CompleteJob')
    await left
    assert.is(agent.report().busy, 0)
    await until('the pool to see it leave', () => stage.workers() === 0, SOON_MS)
  }),
)

OperatorSide(
  'two agents of one key do not share it: the older one is told',
  inHouse(async ({ stage, rogue }) => {
    const first = await rogue(5)
    await rogue(5)
    await until('the first to be sent away', () => first.ended !== undefined, SOON_MS)
    assert.is(first.ended?.code, status[status.ABORTED])
    assert.is(stage.workers(), 1)
    assert.is(first.address, identity(5).address)
  }),
)

const addSpan = (ms: number) => addMs(systemClock.now(), ms)

OperatorSide.run()
