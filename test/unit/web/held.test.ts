import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toCredits } from '../../../src/domain/credits.ts'
import type { Address, JobId } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { JobView } from '../../../src/messages/job-view.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { readHeld } from '../../../src/web/account/held.ts'
import { MemoryJobViews } from '../../fakes/edge/memory-job-views.ts'
import { jobAt, OWNER, viewOf } from '../../fakes/jobs/views.ts'

const Held = suite('credits that are held')

const DISPUTED_AT = toUnixMs(1_900_000_000_000)

const held = (...views: readonly JobView[]) => heldWhile(async () => {}, ...views)

/** Jobs whose credits the ledger keeps. */
let kept: readonly JobId[] = []

/** @param between is what happens once the pending ones were read, and no others yet */
async function heldWhile(
  between: (jobViews: MemoryJobViews) => Promise<void>,
  ...views: readonly JobView[]
) {
  const jobViews = new MemoryJobViews()
  await jobViews.put(views.map((view, version) => ({ view, version: version + 1 })))
  const read = async (query: Parameters<MemoryJobViews['page']>[0]) => {
    const page = await jobViews.page(query)
    if (page === 'incomplete' || page.type !== 'page') throw new Error('no page')
    if (query.status === 'pending') await between(jobViews)
    return page
  }
  let turn: Promise<unknown> = Promise.resolve()
  const list = (query: Parameters<typeof read>[0]) => {
    // One after the other, as over a connection.
    const page = turn.then(() => read(query))
    turn = page
    return page
  }
  const history = { read: async () => undefined, list }
  const reader = { disputedAt: async () => DISPUTED_AT }
  const around = { clock: systemClock, log: makeLog('web', 'silent') }
  const balances = {
    held: async (_: Address, jobs: readonly JobId[]) => jobs.filter((id) => kept.includes(id)),
  }
  return readHeld({ history, balances, reader, jobWindowMs: 120_000, ...around }, OWNER)
}

Held('given jobs of every status: each where it belongs', async () => {
  const found = await held(
    viewOf(jobAt(1), 'pending'),
    viewOf(jobAt(2), 'processing'),
    viewOf(jobAt(3), 'settling'),
    viewOf(jobAt(4), 'settled'),
    viewOf(jobAt(5), 'disputed', { charged: toCredits(8) }),
    viewOf(jobAt(6), 'failed', { block: null }),
    viewOf(jobAt(7), 'refunded', { block: 9 }),
  )
  assert.is(found.locked.credits, 200)
  assert.equal(found.locked.jobs.map(({ job_id }) => job_id).sort(), [jobAt(1), jobAt(2)].sort())
  assert.is(found.settling.credits, 100)
  assert.is(found.disputed.credits, 8)
  const dayLater = new Date(DISPUTED_AT + 24 * 3_600_000).toISOString()
  assert.is(found.disputed.jobs[0]?.ends_at, dayLater)
  assert.equal(
    found.refunding.jobs.map(({ job_id, tx }) => [job_id, tx]),
    [[jobAt(6), `0x${'66'.repeat(32)}`]],
  )
})

Held('a job that was never locked has nothing on its way back', async () => {
  const found = await held(
    viewOf(jobAt(1), 'failed', { escrowTx: null, refundTx: null, block: null }),
  )
  assert.equal(found.refunding, { credits: 0, jobs: [] })
})

Held(
  'a job that ended before its lock was in a block: what the balance lacks is on its way back',
  async () => {
    kept = [jobAt(1)]
    const unlocked = { escrowTx: null, refundTx: null, block: null }
    const found = await held(
      viewOf(jobAt(1), 'refunded', unlocked),
      viewOf(jobAt(2), 'refunded', unlocked),
    )
    kept = []
    assert.is(found.refunding.credits, 100)
    assert.equal(
      found.refunding.jobs.map(({ job_id, tx }) => [job_id, tx]),
      [[jobAt(1), null]],
    )
  },
)

Held('contested before its settlement is in: the whole lock', async () => {
  const view = { settlementTx: null, charged: toCredits(0), disputeTx: null }
  const found = await held(viewOf(jobAt(1), 'disputed', view))
  assert.is(found.disputed.credits, 100)
})

Held('a job that goes on while the lists are read is held once, as what it came to', async () => {
  for (const status of ['processing', 'settling', 'failed'] as const) {
    const next = viewOf(jobAt(1), status, { block: null })
    const goOn = (jobViews: MemoryJobViews) => jobViews.put([{ view: next, version: 2 }])
    const found = await heldWhile(goOn, viewOf(jobAt(1), 'pending'))
    const all = [found.locked, found.settling, found.refunding].flatMap(({ jobs }) => jobs)
    assert.is(all.length, 1, status)
    assert.is(found.locked.credits, status === 'processing' ? 100 : 0, status)
  }
})

Held('hundreds of jobs: all are counted, the newest are shown', async () => {
  const many = Array.from({ length: 250 }, (_, i) => viewOf(jobAt(i + 1), 'processing'))
  const { locked } = await held(...many)
  assert.is(locked.credits, 25_000)
  assert.is(locked.jobs.length, 50)
  assert.is(locked.jobs[0]?.job_id, jobAt(250))
})

Held.run()
