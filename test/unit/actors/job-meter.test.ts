import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { partitionOfJob } from '../../../actors/job/actor.ts'
import { JobMeter } from '../../../actors/job/meter.ts'
import type { Job } from '../../../actors/job/state.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { makeMetrics } from '../../../src/telemetry/metrics.ts'
import { job } from '../../fakes/chain/intents.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

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

Meter.run()
