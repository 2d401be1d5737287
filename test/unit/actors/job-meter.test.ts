import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { partitionOfJob } from '../../../actors/job/actor.ts'
import type { JobEvent } from '../../../actors/job/events.ts'
import { JobMeter } from '../../../actors/job/meter.ts'
import { evolve, type Job } from '../../../actors/job/state.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { makeMetrics } from '../../../src/telemetry/metrics.ts'
import { job } from '../../fakes/chain/intents.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { assigned, completed, hash, jobId, locked, offered, settled, started, tx } from './given.ts'

const Meter = suite('job: what is counted')

Meter('a job lives here until its partition is given up', async () => {
  const metrics = makeMetrics()
  const options = { metrics, clock: new ManualClock(), log: makeLog('test', 'silent') }
  const meter = new JobMeter(options)
  const live = async () => /^svc_jobs_live (\d+)$/m.exec(await metrics.text())?.[1]
  const begun = { status: 'pending', escrow: { at: 'asked' }, attempt: null } as Job
  const [one, other] = [job(1), job(2)]
  assert.is.not(partitionOfJob(one), partitionOfJob(other))
  for (const id of [one, other]) meter.changed(id, 1, begun)
  assert.is(await live(), '2')
  meter.released([partitionOfJob(one)])
  assert.is(await live(), '1')
})

/** One host that hears of one job. */
function host() {
  const metrics = makeMetrics()
  const clock = new ManualClock()
  const meter = new JobMeter({ metrics, clock, log: makeLog('test', 'silent') })
  let job: Job | undefined
  const see = (how: 'read' | undefined, ...events: JobEvent[]) => {
    for (const event of events) {
      job = evolve(job, event)
      meter.changed(jobId, 1, job, how)
    }
  }
  const figure = async (name: string) =>
    Object.fromEntries(
      [...(await metrics.text()).matchAll(new RegExp(`^${name}{(.*)} (\\S+)$`, 'gm'))].map(
        ([, labels, value]) => [/(?:stage|status)="(\w+)"/.exec(labels!)?.[1], Number(value)],
      ),
    )
  return {
    clock,
    appends: (...events: JobEvent[]) => see(undefined, ...events),
    reads: (...events: JobEvent[]) => see('read', ...events),
    again: () => {
      job = undefined
    },
    ends: () => figure('svc_jobs_total'),
    seen: () => figure('svc_job_stage_seconds_count'),
    seconds: () => figure('svc_job_stage_seconds_sum'),
  }
}
const life = [started, locked, offered, assigned, completed, settled]

Meter('each stage of a job is timed once', async () => {
  const { clock, appends, ends, seen, seconds } = host()
  for (const event of life) {
    appends(event)
    await clock.advance(10)
  }
  assert.equal(await seen(), { lock: 1, route: 1, answer: 1, settle: 1 })
  assert.ok((await seconds()).lock! < 1)
  assert.equal(await ends(), { settled: 1 })
})

Meter('a lock that is told of once more under an answer makes no second answer', async () => {
  const { appends, seen } = host()
  const open: JobEvent = { type: 'LockConfirmed', tx, block: 0 }
  appends(started, open, offered, assigned, completed, locked, settled)
  assert.equal(await seen(), { lock: 1, route: 1, answer: 1, settle: 1 })
})

Meter('a job that came from another host has no stages that nobody here saw', async () => {
  const { clock, appends, reads, seen } = host()
  reads(started, locked, offered)
  await clock.advance(60_000)
  appends(assigned, completed, settled)
  assert.equal(await seen(), { answer: 1, settle: 1 })
})

Meter('what is read once more, after it has ended here, is not counted again', async () => {
  const { again, appends, ends, reads, seen } = host()
  appends(...life)
  again()
  reads(...life)
  assert.equal(await ends(), { settled: 1 })
  assert.equal(await seen(), { lock: 1, route: 1, answer: 1, settle: 1 })
})

Meter('a dispute that came to nothing is no slow lock, and no slow settlement', async () => {
  const { clock, appends, seen, seconds } = host()
  appends(...life)
  await clock.advance(50_000)
  appends({ type: 'JobDisputed', requestId: 'r', claimedHash: hash })
  appends({ type: 'DisputeRefused', reason: 'WindowClosed' })
  assert.equal(await seen(), { lock: 1, route: 1, answer: 1, settle: 1 })
  assert.ok((await seconds()).settle! < 10)
})

Meter.run()
