import { EventEmitter } from 'node:events'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ConnectResponse, Offer } from '../../../proto/gen/svc/worker/v1/worker.ts'
import type { Attempts } from '../../../src/pool/attempt/attempts.ts'
import { Canaries } from '../../../src/pool/canary/canaries.ts'
import { ModelTerms } from '../../../src/pool/model-terms.ts'
import { Placements } from '../../../src/pool/placement/placement.ts'
import { Members } from '../../../src/pool/session/members.ts'
import { type MetWorker, Session } from '../../../src/pool/session/session.ts'
import type { WorkerCall } from '../../../src/pool/session/worker-call.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { LINEUP, MemoryCatalogue } from '../../fakes/memory-catalogue.ts'
import { MemoryRegistry } from '../../fakes/memory-registry.ts'
import { A, job, W1 } from '../../fakes/pool/registry-house.ts'

/** A worker that comes back over another stream before the pool has seen the first one break. */
const Back = suite('pool: a worker that is back, and has a model to show yet')

const [SHOWN, UNSHOWN] = LINEUP.map(({ id }) => id) as [string, string]

class Call extends EventEmitter {
  readonly offers: Offer[] = []
  end(): void {}
  write({ message }: ConnectResponse, written: () => void): boolean {
    if (message?.$case === 'offer') this.offers.push(message.value)
    written()
    return true
  }
}
const asCall = (call: Call) => call as unknown as WorkerCall

/** It has one slot, and a job there that it was told to stop. */
function welcomed() {
  const clock = new ManualClock()
  const unheard = () => {}
  const around = { clock, log: makeLog('test', 'silent') }
  const placements = new Placements(clock, {
    ...{ held: unheard, stranded: unheard, lost: unheard, membersChanged: unheard },
    ...{ firstText: unheard, standingChanged: unheard, broke: unheard, running: () => [] },
  })
  const canaries = new Canaries({
    ...{ ...around, placements, admitted: new MemoryRegistry(), time: clock },
    ...{ separator: new Uint8Array(32), onChange: unheard, onVerdict: unheard },
  })
  const terms = new ModelTerms({ catalogue: new MemoryCatalogue(), placements, canaries, clock })
  const attempts = { comeBack: () => [], tellAgain: unheard } as unknown as Attempts
  const members = new Members({
    ...{ ...around, placements, canaries, terms, attempts, poolId: 'p', workersMax: 1 },
    isDraining: () => false,
  })
  const profile = {
    ...{ address: A, workerId: 1, slots: 1, software: '', batches: false, resumes: true },
    models: new Map([[SHOWN, 1_000]]),
    offered: new Map([SHOWN, UNSHOWN].map((id) => [id, 1_000])),
    shown: new Map([[SHOWN, clock.now()]]),
  } as unknown as MetWorker
  const heard = { received: unheard, streamBroke: () => true, closed: unheard }
  const session = new Session(profile, clock, heard)
  session.speakOver(asCall(new Call()))
  const held = { jobId: job(1), wallet: W1, model: SHOWN, exclude: new Set<never>() }
  placements.join(session, profile.models)
  assert.ok(placements.placeNow(held))
  placements.letGo(session, job(1), { outcome: 'neutral', wallet: W1, why: '' })
  canaries.join(session)
  terms.apply(session)
  return { members, canaries, session }
}

Back('is offered its canary job then, and is heard of it', () => {
  const { members, canaries, session } = welcomed()
  const call = new Call()
  members.resume(session, asCall(call))
  const [offer] = call.offers
  assert.ok(offer?.canary, 'the slot is free again')
  assert.ok(canaries.get(offer.jobId), 'what it says of it is no word out of turn')
})

Back.run()
