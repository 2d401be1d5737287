import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addMs } from '../../../src/domain/time.ts'
import type { OfferJob } from '../../../src/messages/pool.ts'
import { Attempts } from '../../../src/pool/attempt/attempts.ts'
import { EdgeOutbox } from '../../../src/pool/attempt/edge-outbox.ts'
import { steady } from '../../../src/ports/clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { job, W1 } from '../../fakes/pool/registry-house.ts'
import { TurnBus } from '../../fakes/pool/turn-bus.ts'

/** A host says until when a job has time, by its clock; the pool's may say something else. */
const Wrong = suite("pool: another clock than the host's")

const JOB = job(1)
const WINDOW_MS = 120_000

/** @returns after how many ms the pool gives up a job that no worker answers */
async function givenUpAfter(aheadMs: number, { tellsTime = true } = {}) {
  const clock = new ManualClock()
  const bus = new TurnBus()
  const attempts = new Attempts({
    ...{ clock, bus, outbox: new EdgeOutbox(bus), log: makeLog('test', 'silent') },
    placements: { draining: false, place: () => true, withdraw: () => {}, cancel: () => {} },
    counts: { failed: () => {} },
    jobs: { tell: async () => undefined },
  } as unknown as ConstructorParameters<typeof Attempts>[0])
  const sentAt = addMs(clock.now(), -aheadMs)
  const offer = {
    ...{ type: 'OfferJob', jobId: JOB, attempt: 1, wallet: W1, model: 'm', outputTokensMax: 100 },
    ...{ replyTo: 'edge', exclude: [], deadlineAt: addMs(sentAt, WINDOW_MS) },
    ...(tellsTime && { sentAt }),
    prompt: { model: 'm', messages: [], sampling: {} },
  } as unknown as OfferJob
  assert.equal(attempts.take(offer), { type: 'taken' })
  const began = clock.monotonic()
  while (attempts.size > 0 && clock.monotonic() - began < 1_000_000) await clock.advance(500)
  return clock.monotonic() - began
}

for (const aheadMs of [-600_000, 0, 600_000]) {
  Wrong(`${aheadMs} ms ahead: a job has its whole window`, async () => {
    assert.is(await givenUpAfter(aheadMs), WINDOW_MS)
  })
}

Wrong('a host of before says no time of its own: its deadline is taken as it is', async () => {
  assert.is(await givenUpAfter(60_000, { tellsTime: false }), WINDOW_MS - 60_000)
})

Wrong('a rest ends when it should, also where the clock is set back meanwhile', async () => {
  const clock = new ManualClock()
  const its = steady(clock)
  await clock.advance(1_000)
  const until = addMs(its.now(), 5_000)
  clock.jump(-600_000)
  await clock.advance(5_000)
  assert.is(its.now(), until)
})

Wrong.run()
