import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inHouse } from '../../fakes/pool/house.ts'

/** All processes of a machine are halted, as where it sleeps: here they are one. */
const Halted = suite('pool and worker: halted')

/** Longer than either side is silent for, and than a broken stream is waited for. */
const HALT_MS = 12_000

const halt = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

Halted(
  'neither was silent, and an answer goes on, also of a worker that cannot resume',
  inHouse(async ({ stage, rogue }) => {
    const worker = await rogue(9)
    worker.onOffer = ({ jobId }) => {
      worker.accept(jobId)
      worker.chunk(jobId, 0, 'before')
    }
    const { jobId } = await stage.offer()
    await stage.hears(jobId, 'AssignWorker')
    halt(HALT_MS)
    // Timers that are due come first, then what was said.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    assert.is(worker.ended, undefined)
    worker.chunk(jobId, 1, ' and after')
    worker.complete(jobId, 'before and after', 2)
    await stage.hears(jobId, 'CompleteJob')
    assert.is(stage.textOf(jobId), 'before and after')
  }),
)

Halted.run()
