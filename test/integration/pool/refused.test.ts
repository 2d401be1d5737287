import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inHouse } from '../../fakes/pool/house.ts'
import type { Rogue } from '../../fakes/pool/rogue.ts'
import { SOON_MS, until } from '../../until.ts'

/** Workers that say that the request is at fault. */
const Refused = suite('pool: requests that workers refuse')

const TOO_LONG = 2
const INVALID = 3

const accepts = (worker: Rogue) => {
  worker.onOffer = ({ jobId }) => worker.accept(jobId)
}
const refuses = (worker: Rogue, reason: number, message: string) => {
  worker.onOffer = ({ jobId }) => {
    worker.accept(jobId)
    worker.say({ $case: 'failure', value: { jobId, reason, message } })
  }
}
const answers = (worker: Rogue) => {
  worker.onOffer = ({ jobId }) => {
    worker.accept(jobId)
    worker.chunk(jobId, 0, 'an answer')
    worker.complete(jobId, 'an answer', 1)
  }
}

Refused(
  'too long for a small context: tried where more is served, and then the caller’s',
  inHouse(async (house) => {
    const { stage } = house
    const small = await house.rogue(9, { contextWindow: 2_048 })
    accepts(small)
    const prompt = { messages: [{ role: 'user' as const, content: 'long '.repeat(8_000) }] }
    const { jobId } = await stage.offer({}, prompt)
    await until('the small one to be asked', () => small.offers.length === 1, SOON_MS)
    const large = await house.rogue(10)
    accepts(large)
    const tooLong = { jobId, reason: TOO_LONG, message: 'too long' }
    small.say({ $case: 'failure', value: tooLong })
    await until('the large one to be asked', () => large.offers.length === 1, SOON_MS)
    large.say({ $case: 'failure', value: tooLong })
    const failed = await stage.hears(jobId, 'FailWorker')
    assert.is(failed.reason, 'context_length_exceeded')
    assert.is(stage.outputs.refusals.get(jobId), 'too long')
    assert.equal(stage.load()?.completionRate, 1, 'nobody is blamed')
  }),
)

Refused(
  'too long, though it cannot be: another worker answers, and the first has failed',
  inHouse(async (house) => {
    const { stage } = house
    const wrong = await house.rogue(9)
    refuses(wrong, TOO_LONG, 'too long')
    const { jobId: first } = await stage.offer()
    const failed = await stage.hears(first, 'FailWorker')
    assert.equal([failed.reason, failed.contextAbove], ['context_length_exceeded', undefined])
    const right = await house.rogue(10)
    answers(right)
    for (const _ of [1, 2, 3, 4]) await stage.hears((await stage.offer()).jobId, 'CompleteJob')
    await until('it to have failed', () => (stage.load()?.completionRate ?? 1) < 1, SOON_MS)
  }),
)

Refused(
  'too long after some text: no other worker goes on with that text',
  inHouse(async (house) => {
    const { stage } = house
    const small = await house.rogue(9, { contextWindow: 2_048 })
    accepts(small)
    const { jobId } = await stage.offer()
    await until('the small one to be asked', () => small.offers.length === 1, SOON_MS)
    const large = await house.rogue(10)
    accepts(large)
    small.chunk(jobId, 0, 'the beginning of ')
    small.say({ $case: 'failure', value: { jobId, reason: TOO_LONG, message: 'too long' } })
    const failed = await stage.hears(jobId, 'FailWorker')
    assert.equal([failed.reason, failed.textSent], ['context_length_exceeded', true])
    assert.equal(failed.workers, [small.address])
    assert.is(large.offers.length, 0)
    assert.is(stage.textOf(jobId), 'the beginning of ')
  }),
)

Refused(
  'at fault by one word alone: another that is free answers, and the first has failed',
  inHouse(async (house) => {
    const { stage } = house
    const wrong = await house.rogue(9)
    refuses(wrong, INVALID, 'roles must alternate')
    const alone = await stage.hears((await stage.offer()).jobId, 'FailWorker')
    assert.is(alone.reason, 'prompt_refused', 'nobody else is there to ask')
    assert.is(stage.load()?.completionRate, 1)
    const right = await house.rogue(10)
    answers(right)
    // Which of them is asked first is a matter of chance.
    for (let n = 0; n < 200 && wrong.offers.length < 2; n++) {
      const done = await stage.hears((await stage.offer()).jobId, 'CompleteJob')
      assert.is(done.worker, right.address)
    }
    assert.is(wrong.offers.length, 2)
    await until('it to have failed', () => (stage.load()?.completionRate ?? 1) < 1, SOON_MS)
  }),
)

Refused(
  'at fault by two words: told to the caller, nobody is blamed, and no third is asked',
  inHouse(async (house) => {
    const { stage } = house
    const three = [await house.rogue(9), await house.rogue(10), await house.rogue(11)]
    for (const worker of three) refuses(worker, INVALID, 'roles must alternate')
    const { jobId } = await stage.offer()
    const failed = await stage.hears(jobId, 'FailWorker')
    assert.equal([failed.reason, failed.textSent], ['prompt_refused', false])
    assert.is(stage.outputs.refusals.get(jobId), 'roles must alternate')
    assert.is(three.flatMap(({ offers }) => offers).length, 2)
    assert.is(stage.load()?.completionRate, 1)
  }),
)

Refused(
  'at fault, where the other is busy: its caller does not wait for a second word',
  inHouse(async (house) => {
    const { stage } = house
    const busy = await house.rogue(9)
    accepts(busy)
    await stage.offer()
    await until('it to be busy', () => busy.offers.length === 1, SOON_MS)
    const wrong = await house.rogue(10)
    refuses(wrong, INVALID, 'roles must alternate')
    const { jobId } = await stage.offer()
    assert.is((await stage.hears(jobId, 'FailWorker')).reason, 'prompt_refused')
    assert.is(busy.offers.length, 1)
  }),
)

Refused.run()
