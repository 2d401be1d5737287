import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addMs } from '../../../src/domain/time.ts'
import type { OfferJob } from '../../../src/messages/pool.ts'
import { Attempts } from '../../../src/pool/attempt/attempts.ts'
import { EdgeOutbox } from '../../../src/pool/attempt/edge-outbox.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { job, W1 } from '../../fakes/pool/registry-house.ts'
import { TurnBus } from '../../fakes/pool/turn-bus.ts'

/** A job is told of the end of what was taken. Who has lost the offer of the next attempt has nothing to tell. */
const Stopped = suite('pool: an attempt that its job stops')

const JOB = job(1)

function pool() {
  const clock = new ManualClock()
  const bus = new TurnBus()
  const attempts = new Attempts({
    ...{ clock, wall: clock, bus, outbox: new EdgeOutbox(bus), log: makeLog('test', 'silent') },
    placements: { draining: false, place: () => true, withdraw: () => {} },
    counts: { failed: () => {} },
    jobs: { tell: async () => undefined },
  } as unknown as ConstructorParameters<typeof Attempts>[0])
  const offer = {
    ...{ type: 'OfferJob', jobId: JOB, attempt: 1, wallet: W1, model: 'm', outputTokensMax: 100 },
    ...{ replyTo: 'edge', exclude: [], deadlineAt: addMs(clock.now(), 120_000) },
  } as unknown as OfferJob
  assert.equal(attempts.take(offer), { type: 'taken' })
  return attempts
}

Stopped('the one that was taken, and one that a host of before names by its job alone', () => {
  const attempts = pool()
  for (const attempt of [{ attempt: 1 }, {}]) {
    const reply = attempts.stop({ type: 'StopJob', jobId: JOB, settle: true, ...attempt })
    assert.equal(reply, { type: 'taken' })
  }
})

Stopped('a later one, whose offer never came: nobody will report', () => {
  const attempts = pool()
  attempts.giveUp('all')
  const reply = attempts.stop({ type: 'StopJob', jobId: JOB, attempt: 2, settle: true })
  assert.equal(reply, { type: 'not_taken' })
})

Stopped.run()
