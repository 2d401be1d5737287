import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inHouse } from '../../fakes/pool/house.ts'
import { SOON_MS, until } from '../../until.ts'

/** Several messages of the worker protocol in one. */
const Batches = suite('pool and worker: batches')

const JOBS = 20

Batches(
  'a worker may say a whole answer as one message',
  inHouse(async ({ rogue, stage }) => {
    const worker = await rogue(9, { batches: true })
    assert.is(worker.welcome?.batches, true)
    worker.onOffer = ({ jobId }) =>
      worker.together(() => {
        worker.accept(jobId)
        worker.chunk(jobId, 0, 'some ')
        worker.chunk(jobId, 1, 'text')
        worker.complete(jobId, 'some text', 2)
      })
    const { jobId } = await stage.offer()
    const completed = await stage.hears(jobId, 'CompleteJob')
    assert.is(completed.worker, worker.address)
  }),
)

Batches(
  'a batch in a batch is passed over, and what stands beside it is heard',
  inHouse(async ({ rogue, stage }) => {
    const worker = await rogue(9)
    const { jobId } = await stage.offer()
    await until('an offer', () => worker.offers.length > 0, SOON_MS)
    worker.together(() => {
      const refusal = { $case: 'refusal', value: { jobId, reason: 1 } } as const
      worker.say({ $case: 'batch', value: { messages: [{ message: refusal }] } })
      worker.accept(jobId)
    })
    await stage.hears(jobId, 'AssignWorker')
  }),
)

for (const batches of [true, false]) {
  Batches(
    batches
      ? 'a worker that reads batches hears of many jobs in few messages'
      : 'a worker that reads none hears of each job alone',
    inHouse(async ({ rogue, stage }) => {
      const worker = await rogue(9, { batches, slots: JOBS })
      const before = worker.messages
      await Promise.all(Array.from({ length: JOBS }, () => stage.offer()))
      await until('all offers', () => worker.offers.length === JOBS, SOON_MS)
      const messages = worker.messages - before
      if (batches) assert.ok(messages < JOBS / 2, `${messages} messages`)
      else assert.ok(messages >= JOBS, `${messages} messages`)
    }),
  )
}

Batches.run()
