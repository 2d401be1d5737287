import * as assert from 'uvu/assert'
import type { Offer, Standing } from '../../../proto/gen/svc/worker/v1/worker.ts'
import type { AdmissionRecord } from '../../../src/messages/admission.ts'
import type { Rogue } from './rogue.ts'
import { identity, MODEL, type PoolStage } from './stage.ts'

/** For tests of what a worker must show before it is offered paid jobs. */
export const CANARY = { canary: true }

export const lastStanding = (worker: Rogue): { now: Standing | undefined } => {
  const seen: { now: Standing | undefined } = { now: undefined }
  worker.onStanding = (standing) => {
    seen.now = standing
  }
  return seen
}
/** Takes canary jobs, and does with them what the test says; paid ones are answered as they should be. */
export const onCanary = (worker: Rogue, play: (offer: Offer) => void): void => {
  const seen = (offer: Offer) => {
    if (offer.canary) return play(offer)
    worker.accept(offer.jobId)
    worker.chunk(offer.jobId, 0, 'paid')
    worker.complete(offer.jobId, 'paid', 1)
  }
  worker.onOffer = seen
  worker.offers.forEach(seen)
}
export const passes =
  (worker: Rogue) =>
  ({ jobId }: Offer) => {
    worker.accept(jobId)
    worker.chunk(jobId, 0, 'one, two')
    worker.complete(jobId, 'one, two', 1)
  }
export const refusedNow = async (stage: PoolStage, model = MODEL) =>
  assert.equal((await stage.offer({ model })).reply, { type: 'refused', reason: 'no_worker' })
export const record = (stage: PoolStage, key = 1) =>
  stage.admitted.entries.get(identity(key).address)?.value as AdmissionRecord | undefined
