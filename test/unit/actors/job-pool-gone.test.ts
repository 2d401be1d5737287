import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { due, type JobEffect } from '../../../actors/job/due.ts'
import type { JobEvent } from '../../../actors/job/events.ts'
import { evolve, type Job } from '../../../actors/job/state.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import { NoResponders } from '../../../src/ports/bus.ts'
import { assigned, failed, jobId, locked, offered, started, terms } from './given.ts'
import { stageJobs } from './job-stage.ts'

/** Its pool has gone without a word: only the edge knows whether a caller has seen some text. */
const test = suite('job: its pool is gone')

const watch: JobEffect = { key: 'watch_pool.1', type: 'watch_pool', poolId: 'pool-1', attempt: 1 }
const running = [started, locked, offered, assigned]

/** What the job tells itself once it looks. */
async function look(past: readonly JobEvent[], answer?: boolean | 'none') {
  const { bus, pools, kind } = stageJobs()
  const asked: unknown[] = []
  if (answer !== undefined) {
    bus.subscribe(terms.replyTo, (question, _subject, respond) => {
      asked.push(question)
      if (answer !== 'none') respond(answer)
    })
  }
  pools.isGone = () => true
  const told: JobCommand[] = []
  const tell = (command: JobCommand) => void told.push(command)
  const job = past.reduce<Job | undefined>(evolve, undefined)!
  await kind.run(watch, job, { tell })
  const said = told.map((each) => [each.type, 'textSent' in each && each.textSent])
  return { said, asked }
}

test('a stream: the edge says whether a caller has seen some of it', async () => {
  const question = { type: 'ask_text_sent', jobId, attempt: 1 }
  // A worker's text may come sooner than the word that it has the job, and that may be lost.
  for (const past of [running, [started, locked, offered]]) {
    for (const textSent of [true, false]) {
      assert.equal(await look(past, textSent), {
        said: [['FailWorker', textSent]],
        asked: [question],
      })
    }
  }
})
test('an edge that is gone has nobody who saw it', async () => {
  assert.equal((await look(running)).said, [['FailWorker', false]])
})
test('an edge that does not answer is asked again at the next look', async () => {
  assert.equal((await look(running, 'none')).said, [])
})
test('who cannot have seen any is not asked for', async () => {
  const plain: JobEvent = { type: 'JobStarted', terms: { ...terms, stream: false } }
  for (const past of [
    [plain, locked, offered, assigned],
    [...running, { type: 'CancelRequested' } as const],
  ]) {
    assert.equal(await look(past, true), { said: [['FailWorker', false]], asked: [] })
  }
})

const offer: JobEffect = { key: 'offer.1', type: 'offer', poolId: 'pool-1', attempt: 1 }

/** What the job tells itself where nobody listens for its offer, or why it offers it again. */
async function offerToNobody(isGone: boolean, elsewhere: string | undefined, textSent?: boolean) {
  const { bus, pools, kind } = stageJobs()
  if (textSent !== undefined) bus.subscribe(terms.replyTo, (_, __, respond) => respond(textSent))
  pools.isGone = () => isGone
  pools.choose = () => elsewhere
  const told: JobCommand[] = []
  const job = [started, locked, offered].reduce<Job | undefined>(evolve, undefined)!
  const ran = kind.run(offer, job, { tell: (command) => void told.push(command) })
  const error = await ran.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return { told: told.map(({ type }) => type), isAgain: error instanceof NoResponders }
}

test('nobody hears the offer: another pool gets it, or a gone one is given up', async () => {
  const given = { told: ['RefuseOffer'], isAgain: false }
  assert.equal(await offerToNobody(false, 'pool-2'), given)
  assert.equal(await offerToNobody(true, undefined), given)
})
test('nobody hears the offer, and a caller has seen text: it was heard before, and goes on', async () => {
  const again = { told: [], isAgain: true }
  assert.equal(await offerToNobody(false, 'pool-2', true), again)
  assert.equal((await offerToNobody(false, 'pool-2', false)).told, ['RefuseOffer'])
})
test('nobody hears the offer, and no other pool is there: one that only connects anew is waited for', async () => {
  assert.equal(await offerToNobody(false, undefined), { told: [], isAgain: true })
})

/** Whether a pool that nobody listens for is told once more to stop. */
async function stopNobody(isGone: boolean, end: JobEvent): Promise<boolean> {
  const { pools, kind } = stageJobs()
  pools.isGone = () => isGone
  const job = [...running, end].reduce<Job | undefined>(evolve, undefined)!
  const stop = due(job).find(({ type }) => type === 'stop_worker')!
  const ran = kind.run(stop, job, { tell: () => {} })
  return ran.then(
    () => false,
    (error: unknown) => error instanceof NoResponders,
  )
}

test('nobody hears that the caller has left: a pool that only connects anew is told again', async () => {
  for (const end of [{ type: 'CancelRequested' } as const, failed]) {
    assert.is(await stopNobody(false, end), true)
    assert.is(await stopNobody(true, end), false)
  }
})

test.run()
