import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { partitionOfJob } from '../../../actors/job/actor.ts'
import { JoinClaims } from '../../../actors/job/join-claims.ts'
import { type JobId, makeJobId } from '../../../src/domain/ids.ts'
import { addMs } from '../../../src/domain/time.ts'
import type { JoinClaim, StartJob } from '../../../src/messages/job.ts'
import type { JobReply } from '../../../src/messages/job-reply.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { RequestTimeout } from '../../../src/ports/bus.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { MemoryJournal } from '../../fakes/chain/memory-journal.ts'
import { MemoryRegistry } from '../../fakes/memory-registry.ts'
import { start } from './given.ts'
import { hostJobs, stageJobs } from './job-stage.ts'

/** An edge asks Redis for the job of an `Idempotency-Key`, and Redis may have forgotten it. */
const Claims = suite('job: one of each key that a caller gives')

const KEY = `k:${'a'.repeat(43)}`
const digest = 'b'.repeat(43)
const WINDOW_MS = 120_000
const MARGIN_MS = 30_000

async function house() {
  const clock = new ManualClock()
  const joins = new MemoryRegistry()
  const journal = new MemoryJournal()
  const joinClaims = new JoinClaims({ joins, clock })
  const { bus, kind } = stageJobs({ clock, joinClaims })
  const host = hostJobs({ kind, bus, clock }, journal)
  let made = 0
  const another = async (): Promise<JobId> => {
    const id = makeJobId(clock.now(), new Uint8Array(16).fill(++made))
    await host.acquire([partitionOfJob(id)])
    return id
  }
  /** @param ahead of the edge's clock */
  const begin = (jobId: JobId, join: JoinClaim, ahead = 0) => {
    const at = addMs(clock.now(), ahead)
    const command = { ...(start as StartJob), jobId, at, deadlineAt: addMs(at, WINDOW_MS) }
    const said = { ...command, key: { ...command.key, join } }
    return bus.request<JobReply>(SUBJECTS.jobCommand(jobId), said, 1_000)
  }
  return { clock, joins, journal, another, begin }
}

const claim: JoinClaim = { key: KEY, bodyDigest: digest }

Claims('a second job of the key is not begun: its edge is told of the first', async () => {
  const { journal, another, begin } = await house()
  const [first, second] = [await another(), await another()]
  assert.is((await begin(first, claim)).type, 'accepted')
  const refused = { type: 'refused', reason: 'key_taken' }
  const holder = { jobId: first, bodyDigest: digest }
  assert.equal(await begin(second, { ...claim, bodyDigest: 'c'.repeat(43) }), {
    ...refused,
    holder,
  })
  assert.is(await journal.last(SUBJECTS.jobJournal(second)), undefined)
})

Claims('said again, it is the same job', async () => {
  const { another, begin } = await house()
  const first = await another()
  for (const _ of [1, 2]) assert.is((await begin(first, claim)).type, 'accepted')
})

Claims('one that failed is replaced, once', async () => {
  const { another, begin } = await house()
  const [failed, next, late] = [await another(), await another(), await another()]
  await begin(failed, claim)
  const instead = { ...claim, replaces: failed }
  assert.is((await begin(next, instead)).type, 'accepted')
  const told = await begin(late, instead)
  assert.is(told.type === 'refused' && told.holder?.jobId, next)
})

Claims('after its time the key is free', async () => {
  const { clock, another, begin } = await house()
  await begin(await another(), claim)
  await clock.advance(WINDOW_MS + MARGIN_MS - 1)
  assert.is((await begin(await another(), claim)).type, 'refused')
  await clock.advance(1)
  assert.is((await begin(await another(), claim)).type, 'accepted')
})

for (const ahead of [-600_000, 600_000]) {
  Claims(`nor sooner or later where the clock of its edge is ${ahead} ms ahead`, async () => {
    const { clock, another, begin } = await house()
    assert.is((await begin(await another(), claim, ahead)).type, 'accepted')
    await clock.advance(WINDOW_MS + MARGIN_MS - 1)
    assert.is((await begin(await another(), claim)).type, 'refused')
    await clock.advance(1)
    assert.is((await begin(await another(), claim)).type, 'accepted')
  })
}

Claims('of two at once one begins', async () => {
  const { another, begin } = await house()
  const ids = [await another(), await another(), await another()]
  const told = await Promise.all(ids.map((id) => begin(id, claim)))
  const begun = ids.filter((_, at) => told[at]!.type === 'accepted')
  assert.is(begun.length, 1)
  for (const each of told) {
    if (each.type === 'refused') assert.is(each.holder?.jobId, begun[0])
  }
})

Claims('where nobody can tell, it is not answered, and begins when it is said again', async () => {
  const { joins, another, begin } = await house()
  const first = await another()
  joins.failures = 1
  assert.instance(await begin(first, claim).catch((error: unknown) => error), RequestTimeout)
  assert.is((await begin(first, claim)).type, 'accepted')
})

Claims('a claim of another form is no claim', async () => {
  const { joins, another, begin } = await house()
  for (const key of ['', 'k:a.b', `k:${'a'.repeat(70)}`, 'k:>']) {
    const told = await begin(await another(), { ...claim, key }).catch((error: unknown) => error)
    assert.instance(told, RequestTimeout, key)
  }
  assert.is(joins.entries.size, 0)
})

Claims.run()
