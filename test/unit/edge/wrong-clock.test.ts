import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Jobs } from '../../../src/api/jobs/jobs.ts'
import { makeJobId } from '../../../src/domain/ids.ts'
import { addMs } from '../../../src/domain/time.ts'
import { FollowedJob } from '../../../src/edge/waiting/follow-job.ts'
import type { Outcome } from '../../../src/edge/waiting/outcome.ts'
import type { WaitedJob } from '../../../src/edge/waiting/waited-job.ts'
import type { Outputs } from '../../../src/ports/outputs.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

/** A job of which nothing is heard: its caller waits for its window, and ten seconds more. */
const Wrong = suite('edge: a clock that is set while a caller waits')

const WINDOW_MS = 120_000
const DAY_MS = 86_400_000

/** @returns after how many seconds the caller was told that there is no answer */
async function toldAfter(
  origin: 'begun' | 'joined',
  { wrongMs, jumpMs }: { readonly wrongMs: number; readonly jumpMs: number },
) {
  const clock = new ManualClock()
  const at = addMs(clock.now(), -wrongMs)
  const job = {
    ...{ jobId: makeJobId(at, new Uint8Array(16)), caller: { wallet: '0x' } },
    ...{ at, deadlineAt: addMs(at, WINDOW_MS) },
  } as unknown as WaitedJob
  const jobs = { get: async () => undefined } as unknown as Jobs
  const log = makeLog('test', 'silent')
  const followed = new FollowedJob({ job, origin, jobs, outputs: {} as Outputs, clock, log })
  clock.every(500, () => followed.tick())
  let told: [Outcome, number] | undefined
  const began = clock.monotonic()
  void followed.outcome.then((outcome) => {
    told = [outcome, (clock.monotonic() - began) / 1_000]
  })
  await clock.advance(5_000)
  clock.jump(jumpMs)
  await clock.advance(200_000)
  return told?.[1]
}

for (const jumpMs of [-DAY_MS, 0, DAY_MS]) {
  Wrong(`a jump of ${jumpMs} ms: told when the window is over`, async () => {
    assert.is(await toldAfter('begun', { wrongMs: 0, jumpMs }), 130)
  })
}

Wrong(
  'a job that another host began by a clock that is ahead is waited for no longer',
  async () => {
    assert.is(await toldAfter('joined', { wrongMs: -DAY_MS, jumpMs: 0 }), 130)
    assert.is(await toldAfter('joined', { wrongMs: 60_000, jumpMs: 0 }), 70)
  },
)

Wrong.run()
