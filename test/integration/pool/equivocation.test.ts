import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { signatureFromBytes } from '../../../src/domain/bytes.ts'
import { outputHash } from '../../../src/domain/hash.ts'
import type { Address, JobId } from '../../../src/domain/ids.ts'
import { addMs } from '../../../src/domain/time.ts'
import type { JobReply } from '../../../src/messages/job-reply.ts'
import {
  type EquivocationRecord,
  equivocationKey,
  type SignedCompletion,
} from '../../../src/messages/strikes.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { type House, inHouse } from '../../fakes/pool/house.ts'
import type { Rogue } from '../../fakes/pool/rogue.ts'
import { ESCROW_SEPARATOR, identity } from '../../fakes/pool/stage.ts'
import { pause, SOON_MS, until } from '../../until.ts'

/** A second answer to one job, signed where the first pool or session could not see it. */
const Elsewhere = suite('pool: two answers, signed at two places')

const WAIT_MS = 20_000
/** An answer that could not be stored is stored again sooner. */
const STORED_AGAIN_MS = 600

/** What a worker signs of an answer of three tokens. */
function signedBy(key: number, jobId: JobId, text: string): SignedCompletion {
  const content = { outputHash: outputHash(text), outputTokens: 3, completedAt: 1_800_000_000 }
  const bytes = identity(key).prove({ jobId, ...content }, ESCROW_SEPARATOR)
  return { ...content, signature: signatureFromBytes(bytes)! }
}

/** A job that was completed with this proof. Of its view a pool reads the worker alone. */
const completedWith = (worker: Address, proof: SignedCompletion): JobReply =>
  ({ type: 'accepted', view: { worker }, ending: { type: 'completed' }, proof }) as JobReply
const stillOpen = { type: 'accepted', view: { worker: null }, ending: null } as JobReply

const recordOf = ({ stage }: House, { address }: Rogue, jobId: JobId) =>
  stage.strikes.entries.get(equivocationKey(address, jobId))?.value as
    | EquivocationRecord
    | undefined
async function record(house: House, worker: Rogue, jobId: JobId): Promise<EquivocationRecord> {
  await until('the proof', () => recordOf(house, worker, jobId) !== undefined, WAIT_MS)
  return recordOf(house, worker, jobId)!
}
const hashesOf = ({ completions }: EquivocationRecord) =>
  completions.map((each) => each.outputHash).sort()
const HASHES = [outputHash('one'), outputHash('another')].sort()

/** A job that this worker has accepted here. */
async function atWork(house: House, worker: Rogue, windowMs = 30_000): Promise<JobId> {
  worker.onOffer = ({ jobId }) => worker.accept(jobId)
  const deadlineAt = addMs(systemClock.now(), windowMs)
  const { jobId } = await house.stage.offer({ deadlineAt })
  await house.stage.hears(jobId, 'AssignWorker')
  return jobId
}
function answer(worker: Rogue, jobId: JobId, text: string): void {
  worker.chunk(jobId, 0, text)
  worker.complete(jobId, text, 1)
}

Elsewhere(
  'another pool was faster with another answer of the same worker',
  inHouse(async (house) => {
    const worker = await house.rogue(9)
    const jobId = await atWork(house, worker)
    house.stage.replies.set(jobId, completedWith(worker.address, signedBy(9, jobId, 'one')))
    answer(worker, jobId, 'another')
    assert.equal(hashesOf(await record(house, worker, jobId)), HASHES)
  }),
)

Elsewhere(
  'a text that is not the job’s answer is not stored late, over the one that is',
  inHouse(async (house) => {
    const { outputs, replies } = house.stage
    const put = outputs.putAnswer.bind(outputs)
    let tries = 0
    outputs.putAnswer = async (...answer) => {
      if (++tries === 1) throw new Error('the store is away')
      await put(...answer)
    }
    const worker = await house.rogue(9)
    const late = await atWork(house, worker)
    replies.set(late, stillOpen)
    answer(worker, late, 'another')
    await until('the first try', () => tries === 1, SOON_MS)
    const own = await atWork(house, worker)
    answer(worker, own, 'one')
    await until('the answer of the other job', () => outputs.answers.get(own) === 'one', SOON_MS)
    await pause(STORED_AGAIN_MS)
    assert.is(outputs.answers.get(late), undefined)
    assert.is(tries, 2)
  }),
)

Elsewhere(
  'the job is with a later attempt, which ends with another answer of the same worker',
  inHouse(async (house) => {
    const worker = await house.rogue(9)
    // Time enough to answer in, and then waited out.
    const jobId = await atWork(house, worker, 4_000)
    house.stage.replies.set(jobId, stillOpen)
    answer(worker, jobId, 'another')
    await house.stage.hears(jobId, 'CompleteJob')
    assert.is(recordOf(house, worker, jobId), undefined)
    house.stage.replies.set(jobId, completedWith(worker.address, signedBy(9, jobId, 'one')))
    assert.equal(hashesOf(await record(house, worker, jobId)), HASHES)
  }),
)

Elsewhere(
  'a later session signs another answer to a job of an earlier one',
  inHouse(async (house) => {
    const worker = await house.rogue(9)
    const jobId = await atWork(house, worker)
    answer(worker, jobId, 'one')
    const {
      signature,
      outputHash: hash,
      completedAt,
    } = await house.stage.hears(jobId, 'CompleteJob')
    const proof = { signature, outputHash: hash, completedAt, outputTokens: 3 }
    house.stage.replies.set(jobId, completedWith(worker.address, proof))
    worker.vanish()
    const later = await house.rogue(9)
    later.complete(jobId, 'another', 1)
    assert.equal(hashesOf(await record(house, later, jobId)), HASHES)
  }),
)

Elsewhere(
  'the same answer signed again, or an answer of another worker, proves nothing',
  inHouse(async (house) => {
    const worker = await house.rogue(9)
    const again = await atWork(house, worker)
    house.stage.replies.set(again, completedWith(worker.address, signedBy(9, again, 'one')))
    answer(worker, again, 'one')
    await house.stage.hears(again, 'CompleteJob')
    const lost = await atWork(house, worker)
    const other = identity(10).address
    house.stage.replies.set(lost, completedWith(other, signedBy(10, lost, 'another')))
    answer(worker, lost, 'one')
    await house.stage.hears(lost, 'CompleteJob')
    // Proofs are written once a second.
    await pause(2_000)
    assert.is(recordOf(house, worker, again), undefined)
    assert.is(recordOf(house, worker, lost), undefined)
  }),
)

Elsewhere.run()
