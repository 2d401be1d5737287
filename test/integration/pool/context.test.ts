import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decide } from '../../../actors/job/decide.ts'
import { Pools } from '../../../actors/job/pools.ts'
import { evolve, isRunning, type Job } from '../../../actors/job/state.ts'
import type { World } from '../../../actors/job/world.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { Rogue } from '../../fakes/pool/rogue.ts'
import { PoolStage } from '../../fakes/pool/stage.ts'
import { TurnBus } from '../../fakes/pool/turn-bus.ts'
import { assigned, jobId, locked, offered, started, terms } from '../../unit/actors/given.ts'
import { until } from '../../until.ts'

/** The prompt is too long for one pool's workers; the job, as it really decides, finds the other pool. */
const Context = suite('pools: a prompt too long for one of two')

const WAIT_MS = 20_000
const CONTEXT_LENGTH = 2
const { model } = terms

let stages: Record<string, PoolStage>
let pools: Pools
let world: World
let rogues: Rogue[]

Context.before.each(async () => {
  const bus = new TurnBus()
  rogues = []
  stages = { 'pool-1': await new PoolStage().open(), 'pool-2': await new PoolStage().open() }
  // Both stages call their pool `p`.
  for (const [poolId, stage] of Object.entries(stages)) {
    stage.bus.subscribe(SUBJECTS.poolSummary, (summary) => {
      bus.publish(SUBJECTS.poolSummary, { ...(summary as object), poolId })
    })
  }
  pools = new Pools(bus, systemClock)
  world = { choosePool: (...wanted) => pools.choose(...wanted), disputeWindowMs: 60_000 }
  await pools.start()
})
Context.after.each(async () => {
  pools.stop()
  for (const rogue of rogues) rogue.vanish()
  for (const stage of Object.values(stages)) await stage.close()
})

async function join(poolId: string, key: number, contextWindow: number): Promise<Rogue> {
  const stage = stages[poolId]!
  const rogue = new Rogue(stage.url, key, { contextWindow })
  rogues.push(rogue)
  await until(`the worker of ${poolId}`, () => stage.workers() === 1, WAIT_MS)
  rogue.onOffer = (offer) => rogue.accept(offer.jobId)
  return rogue
}

/** Offers the job's attempt to its pool, as the job's actor does. */
async function offer(job: Job): Promise<PoolStage> {
  assert.ok(isRunning(job) && job.attempt)
  const { attempt, excludeWorkers: exclude, contextAbove } = job
  const stage = stages[attempt!.poolId]!
  const above = contextAbove === undefined ? {} : { contextAbove }
  const { reply } = await stage.offer({ jobId, attempt: attempt!.number, model, exclude, ...above })
  assert.is(reply.type, 'taken')
  return stage
}

function after(job: Job, command: JobCommand): Job {
  const decision = decide(job, command, world)
  return decision.type === 'accept' ? decision.events.reduce<Job>(evolve, job) : job
}

async function tooLongAtFirst(): Promise<Job> {
  const job = [started, locked, offered].reduce<Job | undefined>(evolve, undefined)!
  const small = await join('pool-1', 9, 2_048)
  const stage = await offer(job)
  await until('the small worker to be asked', () => small.offers.length === 1, WAIT_MS)
  const tooLong = { jobId, reason: CONTEXT_LENGTH, message: 'too long' }
  small.say({ $case: 'failure', value: tooLong })
  const failed = await stage.hears(jobId, 'FailWorker', WAIT_MS)
  assert.equal([failed.reason, failed.contextAbove], ['context_length_exceeded', 2_048])
  return after(evolve(job, assigned), failed)
}

Context('another pool serves more: its worker answers, under the same lock', async () => {
  const large = await join('pool-2', 10, 8_192)
  await until('the other pool', () => world.choosePool(model, ['pool-1']) === 'pool-2', WAIT_MS)
  const job = await tooLongAtFirst()
  const stage = await offer(job)
  assert.is(stage, stages['pool-2'])
  await until('the large worker to be asked', () => large.offers.length === 1, WAIT_MS)
  large.chunk(jobId, 0, 'It fits.')
  large.complete(jobId, 'It fits.', 1)
  const done = await stage.hears(jobId, 'CompleteJob', WAIT_MS)
  const end = after(job, { ...done, at: terms.createdAt })
  assert.is(end.status, 'settling')
  for (const each of Object.values(stages)) {
    assert.is(each.load()?.completionRate, 1, 'nobody is blamed')
  }
})

Context('the other pool serves no more than that: it is the caller’s', async () => {
  await join('pool-2', 10, 2_048)
  await until('the other pool', () => world.choosePool(model, ['pool-1']) === 'pool-2', WAIT_MS)
  const job = await tooLongAtFirst()
  assert.ok(job.status === 'failed')
  assert.is(job.refusal.code, 'context_length_exceeded')
})

Context.run()
