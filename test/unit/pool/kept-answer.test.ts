import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toAddress, toJobId } from '../../../src/domain/ids.ts'
import { addMs } from '../../../src/domain/time.ts'
import type { OfferJob } from '../../../src/messages/pool.ts'
import { AttemptReports, REPORT_GRACE_MS } from '../../../src/pool/attempt/attempt-reports.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { job } from '../../fakes/chain/intents.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { MemoryOutputs } from '../../fakes/memory-outputs.ts'

/** The whole answer is stored beside the report, for an edge that missed a part of it. */
const Kept = suite('pool: the answer is kept')

const JOB = toJobId(job(1))

/** Refuses to store for a while, as when it is cut off. */
class CutStore extends MemoryOutputs {
  tries = 0
  constructor(public isCut: boolean) {
    super()
  }
  override async putAnswer(jobId: typeof JOB, text: string) {
    this.tries++
    if (this.isCut) throw new Error('cut off')
    await super.putAnswer(jobId, text)
  }
}

function complete(outputs: CutStore) {
  const clock = new ManualClock()
  const offered: Pick<OfferJob, 'jobId' | 'attempt' | 'model' | 'deadlineAt'> = {
    ...{ jobId: JOB, attempt: 1, model: 'm', deadlineAt: addMs(clock.now(), 60_000) },
  }
  const quiet = { failed: () => {}, completed: () => {}, firstText: () => {} }
  const reports = new AttemptReports(offered as OfferJob, {
    jobs: { tell: async () => undefined } as never,
    contradictions: {} as never,
    ...{ outputs, clock, wall: clock, log: makeLog('test', 'silent'), counts: quiet },
  })
  const profile = { address: toAddress(`0x${'1'.repeat(40)}`), workerId: 1 }
  const proven = { completion: {}, signature: {}, promptTokens: 1, finishReason: 'stop' }
  reports.completed({ profile } as never, proven as never, 1, 'the answer')
  return clock
}

Kept('a store that is away for some seconds is asked again until it has the answer', async () => {
  const outputs = new CutStore(true)
  const clock = complete(outputs)
  await clock.advance(8_000)
  assert.is(outputs.answers.get(JOB), undefined)
  outputs.isCut = false
  await clock.advance(2_500)
  assert.is(outputs.answers.get(JOB), 'the answer')
  const { tries } = outputs
  await clock.advance(60_000)
  assert.is(outputs.tries, tries)
})

Kept('it ends once nobody can want the answer any more', async () => {
  const outputs = new CutStore(true)
  const clock = complete(outputs)
  await clock.advance(60_000 + REPORT_GRACE_MS + 3_000)
  const { tries } = outputs
  await clock.advance(60_000)
  await rest()
  assert.is(outputs.tries, tries)
})

Kept.run()
