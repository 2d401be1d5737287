import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Standing } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { Demand } from '../../../src/pool/placement/demand.ts'
import { Placements } from '../../../src/pool/placement/placement.ts'
import type { Session } from '../../../src/pool/session/session.ts'
import { askedStanding } from '../../../src/pool/standing/asked-standing.ts'
import { StandingPublisher } from '../../../src/pool/standing/standing-publisher.ts'
import { steady } from '../../../src/ports/clock.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { A, W1 } from '../../fakes/pool/registry-house.ts'

/** A pool's machine began with a clock that was an hour slow, and was set right since. */
const Told = suite('pool: until when a worker rests')

const HOUR = 3_600_000

function resting() {
  const clock = new ManualClock()
  const its = steady(clock)
  const told: Standing[] = []
  const unheard = () => {}
  const placements = new Placements(its, {
    ...{ held: unheard, stranded: unheard, lost: unheard, membersChanged: unheard },
    ...{ firstText: unheard, standingChanged: unheard, broke: unheard, running: () => [] },
  })
  const session = {
    profile: { address: A, workerId: 1, models: new Map(), slots: 1, software: 'agent' },
    ...{ address: A, send: ({ value }: { value: Standing }) => void told.push(value) },
  } as unknown as Session
  placements.join(session, new Map())
  const demand = new Demand()
  const publisher = new StandingPublisher(placements, undefined, demand, its, clock)
  clock.jump(HOUR)
  placements.judge(session, { outcome: 'broke', wallet: W1, why: 'why' })
  return { clock, its, told, placements, demand, publisher }
}

Told('the worker hears it in the time that the pool tells', async () => {
  const { clock, told, publisher } = resting()
  const until = clock.now() + 10_000
  await clock.advance(5_000)
  assert.is(told.at(-1)?.restingUntil, until)
  await clock.advance(10_000)
  assert.is(told.at(-1)?.restingUntil, 0)
  publisher.stop()
})

Told('so does its operator far away', () => {
  const { clock, its, placements, demand, publisher } = resting()
  const at = its.now()
  const terms = { leftOut: () => [] } as never
  const deps = { placements, demand, terms, canaries: undefined, aheadMs: clock.now() - at }
  const seen = askedStanding(A, at, deps)
  assert.is(seen.type === 'standing' && seen.restingUntil, clock.now() + 10_000)
  publisher.stop()
})

Told.run()
