import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JobId } from '../../../src/domain/ids.ts'
import { Placements } from '../../../src/pool/placement/placement.ts'
import type { Outcome } from '../../../src/pool/registry/conduct.ts'
import type { Session } from '../../../src/pool/session/session.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { A, job, W1, W2 } from '../../fakes/pool/registry-house.ts'

/** A worker that was told to stop, and does not say that it has: its slot is held for 5 s more. */
const LettingGo = suite('pool: a job that its worker does not let go')

function cancelled(outcome: Outcome) {
  const clock = new ManualClock()
  const broke: string[] = []
  const unheard = () => {}
  const placements = new Placements(clock, {
    ...{ held: unheard, stranded: unheard, lost: unheard, membersChanged: unheard },
    ...{ firstText: unheard, standingChanged: unheard, running: () => [] },
    broke: (address) => void broke.push(address),
  })
  const profile = { address: A, workerId: 1, models: new Map([['m', 4_096]]), slots: 8 }
  const session = { ...{ profile, address: A, releasing: new Map() }, cancel: unheard }
  placements.join(session as unknown as Session, profile.models)
  const gets = (jobId: JobId, wallet = W1) =>
    placements.placeNow({ jobId, wallet, model: 'm', exclude: new Set() })
  const letGo = (jobId: JobId, wallet = W1) => {
    gets(jobId, wallet)
    placements.letGo(session as unknown as Session, jobId, { outcome, wallet, why: 'why' })
  }
  const standing = () => placements.standings(() => 0, clock.now())(A)
  return { clock, broke, letGo, gets, standing }
}

LettingGo('silent: it rests at once, and not once more when the slot is free', async () => {
  const { clock, letGo, gets, standing } = cancelled('silent')
  letGo(job(1))
  assert.is(gets(job(2)), false)
  await clock.advance(2_500)
  assert.is(gets(job(2)), true)
  await clock.advance(3_000)
  assert.is(gets(job(3)), true)
  assert.is(standing()?.jobsFailed, 1)
})

LettingGo('silent again after its rest: it rests longer, however many offers it was', async () => {
  const { clock, letGo, gets } = cancelled('silent')
  for (const n of [1, 2, 3]) letGo(job(n))
  await clock.advance(2_100)
  for (const n of [4, 5]) letGo(job(n))
  await clock.advance(3_900)
  assert.is(gets(job(6)), false)
  await clock.advance(200)
  assert.is(gets(job(6)), true)
})

LettingGo('failed for two callers: it rests before either slot is free', () => {
  const { letGo, gets } = cancelled('failed')
  letGo(job(1), W1)
  letGo(job(2), W2)
  assert.is(gets(job(3)), false)
})

LettingGo('against the rules: told of once, and at once', async () => {
  const { clock, broke, letGo, gets } = cancelled('broke')
  letGo(job(1))
  assert.equal([broke, gets(job(2))], [[A], false])
  await clock.advance(6_000)
  assert.equal(broke, [A])
})

LettingGo('nobody’s fault: it goes on', async () => {
  const { clock, letGo, gets, standing } = cancelled('neutral')
  letGo(job(1))
  assert.is(gets(job(2)), true)
  await clock.advance(6_000)
  assert.is(standing()?.jobsFailed, 0)
})

LettingGo.run()
