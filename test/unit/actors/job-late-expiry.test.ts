import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JobEffect } from '../../../actors/job/due.ts'
import { evolve, type Job } from '../../../actors/job/state.ts'
import { addMs } from '../../../src/domain/time.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'
import { assigned, locked, offered, started } from './given.ts'
import { stageJobs } from './job-stage.ts'

/** A pool says at most two seconds later again what nobody heard. */
const AGAIN_MS = 2_000

const test = suite('job: the end of its window')

/** The window's timer fires, so long after the window's end. */
function fire(lateMs: number) {
  const { clock, kind } = stageJobs()
  const told: JobCommand[] = []
  let cancelled = false
  const tell = (command: JobCommand) => {
    if (!cancelled) told.push(command)
  }
  const job = [started, locked, offered, assigned].reduce<Job | undefined>(evolve, undefined)!
  const expire: JobEffect = { key: 'expire', type: 'expire', at: addMs(clock.now(), -lateMs) }
  const ran = kind.run(expire, job, { tell })
  return { clock, told, ran, cancel: () => (cancelled = true) }
}

test('expires the job at once where the job had an owner all the time', async () => {
  const { told, ran } = fire(20)
  await ran
  assert.equal(
    told.map(({ type }) => type),
    ['ExpireJob'],
  )
})

test('waits for the proof that came in time where the job had none', async () => {
  const { clock, told, ran } = fire(3_000)
  await clock.advance(AGAIN_MS)
  assert.equal(told, [])
  await clock.advance(1_000)
  await ran
  assert.equal(
    told.map(({ type }) => type),
    ['ExpireJob'],
  )
})

test('says nothing where the proof has come', async () => {
  const { clock, told, cancel } = fire(3_000)
  await rest()
  cancel()
  await clock.advance(5_000)
  assert.equal(told, [])
})

test.run()
