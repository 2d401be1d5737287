import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toAddress, toJobId } from '../../../src/domain/ids.ts'
import { addMs } from '../../../src/domain/time.ts'
import type { OfferJob } from '../../../src/messages/pool.ts'
import { AttemptReports } from '../../../src/pool/attempt/attempt-reports.ts'
import type { PoolReport } from '../../../src/pool/report.ts'
import type { Session } from '../../../src/pool/session/session.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { job } from '../../fakes/chain/intents.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { MemoryOutputs } from '../../fakes/memory-outputs.ts'

/** Who took a job is told of with its proof, where that comes at once and nobody waits to hear. */
const Late = suite('pool: assignments held back')

const JOB = toJobId(job(1))
const sessionOf = (digit: string, workerId: number) =>
  ({ profile: { address: toAddress(`0x${digit.repeat(40)}`), workerId } }) as Session
const first = sessionOf('1', 1)
const second = sessionOf('2', 2)

function attempt(assignLate?: boolean) {
  const clock = new ManualClock()
  const told: string[] = []
  const heard: PoolReport[] = []
  const offered = { jobId: JOB, attempt: 1, model: 'm', deadlineAt: addMs(clock.now(), 60_000) }
  const tell = async (report: PoolReport) => {
    const who = 'workerId' in report ? ` ${report.workerId}` : ''
    told.push(`${report.type}${who}`)
    heard.push(report)
    return undefined
  }
  const quiet = { failed: () => {}, completed: () => {}, firstText: () => {} }
  const late = assignLate === undefined ? {} : { assignLate }
  const reports = new AttemptReports({ ...offered, ...late } as OfferJob, {
    jobs: { tell } as never,
    contradictions: {} as never,
    ...{ outputs: new MemoryOutputs(), clock, wall: clock, counts: quiet },
    log: makeLog('test', 'silent'),
  })
  return { clock, told, heard, reports }
}

const proven = { completion: {}, signature: {}, promptTokens: 1, finishReason: 'stop' } as never

Late('where somebody waits to hear, the first text goes before it, and no more', async () => {
  const { clock, told, reports } = attempt(false)
  reports.assigned(first)
  await clock.advance(9)
  assert.equal(told, [])
  await clock.advance(1)
  assert.equal(told, ['AssignWorker 1'])
})

Late('it goes right behind the first text, once', async () => {
  const { clock, told, reports } = attempt(false)
  reports.assigned(first)
  reports.assigned(first, true)
  await clock.advance(0)
  assert.equal(told, [])
  await clock.advance(1)
  assert.equal(told, ['AssignWorker 1'])
  await clock.advance(100)
  assert.equal(told, ['AssignWorker 1'])
})

Late('where nobody waits to hear, text does not hasten it', async () => {
  const { clock, told, reports } = attempt(true)
  reports.assigned(first, true)
  await clock.advance(249)
  assert.equal(told, [])
})

Late('a host that knows nothing of it is told at once', async () => {
  const { clock, told, reports } = attempt()
  reports.assigned(first)
  await clock.advance(0)
  assert.equal(told, ['AssignWorker 1'])
})

Late('an answer that comes at once says by itself who gave it', async () => {
  const { clock, told, heard, reports } = attempt(true)
  reports.assigned(first)
  const takenAt = clock.now()
  await clock.advance(200)
  reports.over()
  reports.completed(first, proven, 1, 'text')
  await clock.advance(5_000)
  assert.equal(told, ['CompleteJob 1'])
  assert.is(heard[0]?.type === 'CompleteJob' && heard[0].takenAt, takenAt)
})

Late(
  'one that takes longer does not: the worker of that moment is told of, and each after it',
  async () => {
    const { clock, told, reports } = attempt(true)
    reports.assigned(first)
    reports.assigned(second)
    await clock.advance(1_000)
    assert.equal(told, ['AssignWorker 2'])
    reports.assigned(first)
    await clock.advance(1_000)
    assert.equal(told, ['AssignWorker 2', 'AssignWorker 1'])
  },
)

Late('before a failure the job is told whose it is', async () => {
  const { clock, told, reports } = attempt(true)
  reports.assigned(first)
  reports.over()
  reports.failed({ reason: 'worker_error', textSent: false, workers: [] })
  await clock.advance(5_000)
  assert.equal(told, ['AssignWorker 1', 'FailWorker'])
})

Late.run()
