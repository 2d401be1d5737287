import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JobId } from '../../../src/domain/ids.ts'
import { mostChunksOf, mostPromptTokensOf } from '../../../src/domain/plausible-tokens.ts'
import { completionDigest, recover } from '../../../src/domain/proof.ts'
import {
  type EquivocationRecord,
  equivocationKey,
  type StrikeRecord,
} from '../../../src/messages/strikes.ts'
import { type House, inHouse } from '../../fakes/pool/house.ts'
import type { Lies, Rogue } from '../../fakes/pool/rogue.ts'
import { ESCROW_SEPARATOR } from '../../fakes/pool/stage.ts'
import { pause, SOON_MS, until } from '../../until.ts'

const Cheating = suite('pool: workers that cheat')

const recordOf = ({ stage }: House, worker: Rogue) =>
  stage.strikes.entries.get(worker.address)?.value as StrikeRecord | undefined
const equivocationOf = ({ stage }: House, worker: Rogue, jobId: JobId) =>
  stage.strikes.entries.get(equivocationKey(worker.address, jobId))?.value as
    | EquivocationRecord
    | undefined

/** Waits for the durable record. @returns how often each kind was seen */
async function strikesOf(house: House, worker: Rogue, atLeast = 1) {
  const all = () => Object.values(recordOf(house, worker)?.counts ?? {})
  await until(
    'the strikes to be on record',
    () => all().reduce((a, b) => a + b, 0) >= atLeast,
    SOON_MS,
  )
  return recordOf(house, worker)?.counts
}

/** A worker that has accepted a job. */
async function atWork(house: House, key = 9): Promise<{ worker: Rogue; jobId: JobId }> {
  const worker = await house.rogue(key, { slots: 2 })
  worker.onOffer = ({ jobId }) => worker.accept(jobId)
  const { jobId } = await house.stage.offer()
  await house.stage.hears(jobId, 'AssignWorker')
  return { worker, jobId }
}

const isPaid = ({ stage }: House, jobId: JobId): boolean =>
  stage.told.some((command) => command.jobId === jobId && command.type === 'CompleteJob')

const proofs: readonly (readonly [string, Lies, string])[] = [
  ['a hash of another text', { hashOf: 'another' }, 'wrong_hash'],
  ['a signature of somebody else', { signedBy: 8 }, 'wrong_signature'],
  ['more tokens than the lock covers', { outputTokens: 1_001 }, 'wrong_tokens'],
  ['more tokens than the text can be', { outputTokens: 300 }, 'wrong_tokens'],
  ['another number of chunks', { chunks: 2 }, 'wrong_chunks'],
  ['a time of another day', { clockAheadSeconds: 86_400 }, 'wrong_clock'],
]
for (const [what, lie, kind] of proofs) {
  Cheating(
    `${what}: unpaid, on record`,
    inHouse(async (house) => {
      const { worker, jobId } = await atWork(house)
      worker.chunk(jobId, 0, 'some text')
      worker.complete(jobId, 'some text', 1, lie)
      assert.is((await house.stage.hears(jobId, 'FailWorker')).reason, 'bad_proof')
      assert.equal(await strikesOf(house, worker), { [kind]: 1 })
      assert.is(recordOf(house, worker)?.last.jobId, jobId)
      assert.not(isPaid(house, jobId))
    }),
  )
}

Cheating(
  'as many tokens as the text has bytes, and a few that leave none, are believed',
  inHouse(async (house) => {
    const { worker, jobId } = await atWork(house)
    worker.chunk(jobId, 0, 'grüße')
    worker.complete(jobId, 'grüße', 1, { outputTokens: 7 + 256 })
    await house.stage.hears(jobId, 'CompleteJob')
  }),
)

for (const [what, seq] of [
  ['a gap in the chunks', 2],
  ['a chunk twice', 0],
] as const) {
  Cheating(
    `${what}: unpaid, on record`,
    inHouse(async (house) => {
      const { worker, jobId } = await atWork(house)
      worker.chunk(jobId, 0, 'a')
      worker.chunk(jobId, seq, 'b')
      assert.is((await house.stage.hears(jobId, 'FailWorker')).reason, 'worker_error')
      assert.equal(await strikesOf(house, worker), { wrong_chunks: 1 })
    }),
  )
}

Cheating(
  'text for an offer that was not accepted does not reach the caller',
  inHouse(async (house) => {
    const worker = await house.rogue(9)
    worker.onOffer = ({ jobId }) => worker.chunk(jobId, 0, 'unasked')
    const { jobId } = await house.stage.offer()
    const { reason, textSent } = await house.stage.hears(jobId, 'FailWorker')
    assert.equal([reason, textSent], ['worker_error', false])
    assert.equal(await strikesOf(house, worker), { not_accepted: 1 })
  }),
)

Cheating(
  'text and proof of another worker’s job change nothing for that job',
  inHouse(async (house) => {
    const { worker: honest, jobId } = await atWork(house)
    const thief = await house.rogue(10)
    thief.chunk(jobId, 0, 'stolen')
    thief.complete(jobId, 'stolen', 1)
    assert.equal(await strikesOf(house, thief, 2), { foreign_job: 2 })
    honest.chunk(jobId, 0, 'honest')
    honest.complete(jobId, 'honest', 1)
    assert.is((await house.stage.hears(jobId, 'CompleteJob')).worker, honest.address)
    assert.is(house.stage.textOf(jobId), 'honest')
    assert.is(recordOf(house, honest), undefined)
  }),
)

Cheating(
  'text after the end, and the same completion again: paid once, on record',
  inHouse(async (house) => {
    const { worker, jobId } = await atWork(house)
    worker.chunk(jobId, 0, 'all')
    worker.complete(jobId, 'all', 1)
    worker.chunk(jobId, 1, ' and more')
    worker.complete(jobId, 'all', 1)
    assert.equal(await strikesOf(house, worker, 2), { text_after_end: 1, second_completion: 1 })
    assert.is(house.stage.textOf(jobId), 'all')
    const told = house.stage.told.filter(({ type }) => type === 'CompleteJob')
    assert.is(told.length, 1)
  }),
)

Cheating(
  'two different completions of one job: both signatures are kept',
  inHouse(async (house) => {
    const { worker, jobId } = await atWork(house)
    worker.chunk(jobId, 0, 'one answer')
    worker.complete(jobId, 'one answer', 1)
    worker.complete(jobId, 'another answer', 1)
    assert.equal(await strikesOf(house, worker), { equivocation: 1 })
    const record = equivocationOf(house, worker, jobId)!
    assert.equal([record.worker, record.workerId, record.jobId], [worker.address, 1, jobId])
    const [a, b] = record.completions
    assert.is.not(a.outputHash, b.outputHash)
    for (const { signature, ...content } of record.completions) {
      const digest = completionDigest(ESCROW_SEPARATOR, { jobId, ...content })
      assert.is(recover(digest, signature), worker.address)
    }
  }),
)

Cheating(
  'a second answer with a time beyond the contract proves nothing, and hides none that does',
  inHouse(async (house) => {
    const { worker, jobId } = await atWork(house)
    worker.chunk(jobId, 0, 'one answer')
    worker.complete(jobId, 'one answer', 1)
    worker.complete(jobId, 'another answer', 1, { completedAt: 2 ** 45 })
    assert.equal(await strikesOf(house, worker), { second_completion: 1 })
    assert.is(equivocationOf(house, worker, jobId), undefined)
    worker.complete(jobId, 'another answer', 1, { completedAt: 2 ** 40 - 1 })
    assert.equal(await strikesOf(house, worker, 2), { second_completion: 1, equivocation: 1 })
    const record = equivocationOf(house, worker, jobId)!
    assert.is(record.completions[1].completedAt, 2 ** 40 - 1)
  }),
)

Cheating(
  'a job is not asked about a foreign completion that the contract could not read',
  inHouse(async (house) => {
    const { worker } = await atWork(house)
    const asked = () => house.stage.told.filter(({ type }) => type === 'GetJob').length
    const foreign = `job_${'0'.repeat(26)}`
    worker.complete(foreign, 'text', 1, { completedAt: 2 ** 45 })
    assert.equal(await strikesOf(house, worker), { foreign_job: 1 })
    assert.is(asked(), 0)
    worker.complete(foreign, 'text', 1)
    await until('the question', () => asked() === 1, SOON_MS)
  }),
)

Cheating(
  'what is no job id is noted in a fixed word, however long it is',
  inHouse(async (house) => {
    const { worker } = await atWork(house)
    worker.chunk('x'.repeat(2_000_000), 0, 'noise')
    assert.equal(await strikesOf(house, worker), { foreign_job: 1 })
    assert.is(recordOf(house, worker)?.last.jobId, 'no job id')
  }),
)

Cheating(
  'empty chunks without end: unpaid, on record',
  inHouse(async (house) => {
    const worker = await house.rogue(9)
    worker.onOffer = ({ jobId }) => worker.accept(jobId)
    const { jobId } = await house.stage.offer({ outputTokensMax: 1 })
    await house.stage.hears(jobId, 'AssignWorker')
    const empty = (seq: number) => ({ jobId, seq, text: '' })
    const chunks = Array.from({ length: mostChunksOf(1) + 1 }, (_, seq) => empty(seq))
    worker.say({ $case: 'chunks', value: { chunks } })
    assert.is((await house.stage.hears(jobId, 'FailWorker')).reason, 'worker_error')
    assert.equal(await strikesOf(house, worker), { answer_too_long: 1 })
  }),
)

Cheating(
  'more prompt tokens than the prompt can be: paid, and cut to what it can be',
  inHouse(async (house) => {
    const { worker, jobId } = await atWork(house)
    worker.chunk(jobId, 0, 'text')
    worker.complete(jobId, 'text', 1, { promptTokens: 2 ** 32 - 1 })
    const { usage } = await house.stage.hears(jobId, 'CompleteJob')
    assert.is(usage.promptTokens, mostPromptTokensOf([{ content: 'hello' }]))
    assert.is(recordOf(house, worker), undefined)
  }),
)

Cheating(
  'a worker that was told to stop may have had more on the way',
  inHouse(async (house) => {
    const { worker, jobId } = await atWork(house)
    await house.stage.stop(jobId, false)
    await until('the cancel', () => worker.cancels.length === 1, SOON_MS)
    worker.chunk(jobId, 0, 'late')
    worker.complete(jobId, 'late', 1)
    worker.chunk(jobId, 1, 'later')
    await pause(1_200)
    assert.is(recordOf(house, worker), undefined)
  }),
)

Cheating(
  'one that goes on and on is shown the door, and the record survives a registry that fails',
  inHouse(async (house) => {
    const { worker } = await atWork(house)
    house.stage.strikes.failures = 1
    for (let i = 0; i < 20; i++) worker.chunk(`job_${'0'.repeat(26)}`, 0, 'noise')
    await until('the stream to end', () => worker.ended !== undefined, SOON_MS)
    assert.is(worker.ended?.code, 'FAILED_PRECONDITION')
    assert.equal(await strikesOf(house, worker, 16), { foreign_job: 16 })
  }),
)

Cheating.run()
