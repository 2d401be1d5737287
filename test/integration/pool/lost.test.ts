import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type House, inHouse } from '../../fakes/pool/house.ts'
import type { Rogue } from '../../fakes/pool/rogue.ts'
import { until } from '../../until.ts'

const Lost = suite('pool: workers that leave in the middle of a job')

const WAIT_MS = 20_000

/** A worker leaves in the middle of a job and comes back. @returns its share of jobs finished then */
async function comesBack(house: House, leave: (worker: Rogue) => Promise<void>): Promise<number> {
  const { stage } = house
  const worker = await house.rogue(9)
  worker.onOffer = ({ jobId }) => worker.accept(jobId)
  const { jobId } = await stage.offer()
  await stage.hears(jobId, 'AssignWorker', WAIT_MS)
  await leave(worker)
  assert.is((await stage.hears(jobId, 'FailWorker', WAIT_MS)).reason, 'worker_lost')
  await until('the worker to be gone', () => stage.workers() === 0, WAIT_MS)
  await house.rogue(9)
  await until('the worker to be back', () => stage.workers() === 1, WAIT_MS)
  return stage.load()!.completionRate
}

Lost(
  'its stream breaks and it does not come back: a job that it did not finish',
  inHouse(async (house) => {
    const share = await comesBack(house, async (worker) => worker.vanish())
    assert.ok(share < 1, `${share}`)
  }),
)

Lost(
  'it had said that it leaves: nothing is held against it',
  inHouse(async (house) => {
    const share = await comesBack(house, async (worker) => {
      worker.say({ $case: 'drain', value: { reason: 'the operator wants it so' } })
      await until('the drain', () => house.stage.workers() === 0, WAIT_MS)
      worker.vanish()
    })
    assert.is(share, 1)
  }),
)

Lost.run()
