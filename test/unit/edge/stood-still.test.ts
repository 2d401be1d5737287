import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeJobs } from '../../../src/api/jobs/jobs.ts'
import { type Bus, RequestTimeout } from '../../../src/ports/bus.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { start } from '../actors/given.ts'

/** An edge that stood still, as one whose machine was paused, while it began a job. */
const StoodStill = suite('edge: stood still')

StoodStill('nothing is said to a job once nobody waits for its answer any more', async () => {
  const clock = new ManualClock()
  let said = 0
  const bus = {
    request: async (subject: string) => {
      said++
      throw new RequestTimeout(subject, 2_000)
    },
  } as unknown as Bus
  assert.is(start.type, 'StartJob')
  if (start.type !== 'StartJob') return
  const jobs = makeJobs({ bus, clock, log: makeLog('test', 'silent'), replyTo: 'edge.one' })
  const begun = jobs.start(start)
  await clock.advance(150)
  assert.is(said, 2, 'it is said again')
  clock.standStill(30_000)
  await clock.advance(0)
  assert.is(await begun, 'unknown')
  assert.is(said, 2)
})

StoodStill.run()
