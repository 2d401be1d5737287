import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JobEffect } from '../../../actors/job/due.ts'
import { due } from '../../../actors/job/due.ts'
import { evolve, type Job } from '../../../actors/job/state.ts'
import { addMs, type DurationMs } from '../../../src/domain/time.ts'
import type { DisputeJob } from '../../../src/messages/dispute.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import { EffectSet } from '../../../src/runtime/effects.ts'
import { FailedEffects } from '../../../src/runtime/failed-effects.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import * as past from './given.ts'
import { stageJobs } from './job-stage.ts'

/** Whoever speaks to a job dates it by a clock of its own, and that of any host may be wrong, or be set. */
const Clocks = suite('job: clocks that are wrong')

const DAY_MS = 86_400_000
const WINDOW_MS = 120_000

/** The job after a command that was said `wrongMs` from the right time, `afterMs` into the job's life. */
function hear(
  before: readonly Parameters<typeof evolve>[1][],
  command: JobCommand,
  { afterMs, wrongMs }: { readonly afterMs: DurationMs; readonly wrongMs: DurationMs },
): Job | undefined {
  const { clock, kind } = stageJobs()
  assert.is(clock.now(), past.at)
  clock.standStill(afterMs)
  const said = addMs(clock.now(), wrongMs)
  const at = { at: said, ...('deadlineAt' in command && { deadlineAt: addMs(said, WINDOW_MS) }) }
  const job = before.reduce<Job | undefined>(kind.evolve, undefined)
  const decision = kind.decide(job, { ...command, ...at } as JobCommand)
  const events = decision.type === 'accept' ? decision.events : []
  return events.reduce<Job | undefined>(kind.evolve, job)
}

const RUNNING = [past.started, past.locked, past.offered, past.assigned]

for (const wrongMs of [-60 * DAY_MS, -DAY_MS, -WINDOW_MS, 20, 600_000, 60 * DAY_MS]) {
  Clocks(`an edge ${wrongMs} ms ahead: its jobs have their whole window from now on`, () => {
    const job = hear([], past.start, { afterMs: 500, wrongMs })
    assert.ok(job && job.status !== 'abandoned')
    assert.is(job.terms.createdAt, past.later(500))
    assert.is(job.terms.deadlineAt, past.later(500 + WINDOW_MS))
  })
}

Clocks('a request that was on its way for a while keeps its time', () => {
  const job = hear([], past.start, { afterMs: 0, wrongMs: -20_000 })
  assert.ok(job && job.status !== 'abandoned')
  assert.is(job.terms.createdAt, past.later(-20_000))
})

for (const wrongMs of [-DAY_MS, 600_000]) {
  Clocks(`a pool ${wrongMs} ms ahead: its proof counts, and ends the job now`, () => {
    const job = hear(RUNNING, past.complete, { afterMs: 3_000, wrongMs })
    assert.is(job?.status, 'settling')
    assert.is(job && 'completedAt' in job && job.completedAt, past.later(3_000))
  })
}

Clocks('a proof that was repeated for a while keeps its time, and so does its window', () => {
  const job = hear(RUNNING, past.complete, { afterMs: WINDOW_MS + 2_000, wrongMs: -4_000 })
  assert.is(job?.status, 'settling')
  assert.is(job && 'completedAt' in job && job.completedAt, past.later(WINDOW_MS - 2_000))
})

Clocks('the window for a dispute is neither longer nor shorter by the clock of an edge', () => {
  const dispute: DisputeJob = {
    ...{ type: 'DisputeJob', jobId: past.jobId, wallet: past.wallet, requestId: 'r' },
    ...{ receivedHash: past.tx, at: past.at },
  }
  const done = [...RUNNING, past.completed, past.settled]
  const after = (afterMs: number, wrongMs: number) =>
    hear(done, dispute, { afterMs, wrongMs })?.status
  assert.is(after(30_000, 600_000), 'disputed')
  assert.is(after(70_000, -600_000), 'settled')
})

/** What expires a job that runs, on a host whose clock jumps after a second. */
async function expiredAfterMs(jumpMs: number): Promise<number> {
  const { clock, kind } = stageJobs()
  const job = RUNNING.reduce<Job | undefined>(evolve, undefined)!
  const began = clock.monotonic()
  let told: [number, Job | undefined] | undefined
  const effects = new EffectSet<JobCommand, JobEffect>({
    clock,
    failed: new FailedEffects(clock, makeLog('test', 'silent')),
    run: (effect, context) => kind.run(effect, job, context),
    tell: (command) => {
      const { events = [] } = { ...kind.decide(job, command) } as { events?: [] }
      told = [clock.monotonic() - began, events.reduce<Job | undefined>(evolve, job)]
    },
  })
  effects.update(due(job).filter(({ key }) => key === 'expire'))
  await clock.advance(1_000)
  clock.jump(jumpMs)
  await clock.advance(3 * WINDOW_MS)
  assert.is(told?.[1]?.status, 'refunded')
  return told![0]
}

for (const jumpMs of [-60 * DAY_MS, -600_000, 0]) {
  Clocks(`a host whose clock jumps by ${jumpMs} ms: the job ends with its window`, async () => {
    assert.is(await expiredAfterMs(jumpMs), WINDOW_MS)
  })
}

/** When a job that runs first looks whether its edge lives, on such a host. */
async function watchedAfterMs(jumpMs: number): Promise<number | undefined> {
  const { clock } = stageJobs()
  const began = clock.monotonic()
  let watched: number | undefined
  const effects = new EffectSet<JobCommand, JobEffect>({
    clock,
    failed: new FailedEffects(clock, makeLog('test', 'silent')),
    run: async () => {
      watched ??= clock.monotonic() - began
    },
    tell: () => {},
  })
  const job = RUNNING.reduce<Job | undefined>(evolve, undefined)!
  effects.update(due(job).filter(({ type }) => type === 'watch_edge'))
  await clock.advance(1_000)
  clock.jump(jumpMs)
  await clock.advance(WINDOW_MS)
  return watched
}

for (const jumpMs of [-60 * DAY_MS, -600_000, 0]) {
  Clocks(`a host whose clock jumps by ${jumpMs} ms: an edge that dies is noticed`, async () => {
    assert.is(await watchedAfterMs(jumpMs), 3_000)
  })
}

Clocks.run()
