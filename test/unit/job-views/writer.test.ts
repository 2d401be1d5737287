import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { JobViewWriter } from '../../../actors/job-views/writer.ts'
import type { JobId } from '../../../src/domain/ids.ts'
import type { JobView } from '../../../src/messages/job-view.ts'
import type { JobArchive, VersionedJob } from '../../../src/ports/job-views.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { MemoryJobViews } from '../../fakes/edge/memory-job-views.ts'
import { jobAt, viewOf } from '../../fakes/jobs/views.ts'

/** Both of them can be away. */
class House {
  readonly clock = new ManualClock()
  readonly views = new MemoryJobViews()
  readonly archived: VersionedJob[] = []
  viewsAreAway = false
  archiveIsAway = false
  readonly writer = new JobViewWriter<JobView | null>({
    views: Object.assign(Object.create(this.views), {
      put: async (jobs: readonly VersionedJob[]) => {
        if (this.viewsAreAway) throw new Error('away')
        await this.views.put(jobs)
      },
    }),
    archive: {
      append: async (jobs: readonly VersionedJob[]) => {
        if (this.archiveIsAway) throw new Error('away')
        this.archived.push(...jobs)
      },
    } as JobArchive,
    viewOf: (view) => {
      if (view?.status === ('paused' as string)) throw new Error('unreachable')
      return view ?? undefined
    },
    rests: (view) => view === null || view.status === 'settled',
    clock: this.clock,
    log: makeLog('test', 'silent'),
  })

  changed(id: JobId, sequence: number, status: JobView['status']): void {
    this.writer.changed(id, sequence, viewOf(id, status))
  }

  status(id: JobId): string | undefined {
    return this.views.jobs.find(({ view }) => view.id === id)?.view.status
  }
}

const Writer = suite<{ house: House }>('job view writer')
Writer.before.each((context) => {
  context.house = new House()
})
const [A, B] = [jobAt(1), jobAt(2)]

Writer('a state of another version hides no other job', async ({ house }) => {
  house.changed(A, 1, 'paused' as JobView['status'])
  house.changed(B, 2, 'pending')
  await house.clock.advance(20)
  assert.is(house.status(B), 'pending')
  assert.is(house.writer.oldestPending, Number.POSITIVE_INFINITY)
})

Writer('each change is in the views, what is finished in the archive', async ({ house }) => {
  house.changed(A, 1, 'pending')
  await house.clock.advance(1)
  assert.is(house.status(A), 'pending')
  house.changed(A, 2, 'processing')
  house.changed(A, 3, 'settled')
  house.changed(B, 4, 'pending')
  await house.clock.advance(20)
  assert.equal([house.status(A), house.status(B)], ['settled', 'pending'])
  assert.equal(house.archived, [{ view: viewOf(A, 'settled'), version: 3 }])
  assert.is(house.writer.oldestPending, Number.POSITIVE_INFINITY)
})

Writer('a tombstone is nothing that anybody is shown', async ({ house }) => {
  house.writer.changed(A, 1, null)
  await house.clock.advance(20)
  assert.equal([house.views.jobs, house.archived], [[], []])
  assert.is(house.writer.oldestPending, Number.POSITIVE_INFINITY)
})

Writer(
  'what is not in both of them is pending, and comes once they are back',
  async ({ house }) => {
    house.viewsAreAway = true
    house.archiveIsAway = true
    house.changed(A, 1, 'settled')
    house.changed(B, 2, 'processing')
    await house.clock.advance(2_000)
    assert.is(house.writer.oldestPending, 1)
    house.viewsAreAway = false
    await house.clock.advance(2_000)
    assert.equal([house.status(A), house.status(B)], ['settled', 'processing'])
    assert.is(house.writer.oldestPending, 1, 'the archive lacks it')
    house.archiveIsAway = false
    await house.clock.advance(2_000)
    assert.is(house.archived.length, 1)
    assert.is(house.writer.oldestPending, Number.POSITIVE_INFINITY)
  },
)

Writer('shown: what a caller was told is in its list by then', async ({ house }) => {
  house.changed(A, 1, 'pending')
  await house.clock.advance(1)
  house.changed(A, 2, 'settled')
  let isShown = false
  void house.writer.shown(A)?.then(() => {
    isShown = true
  })
  await house.clock.advance(1)
  assert.is(isShown, true)
  assert.is(house.status(A), 'settled')
  assert.is(house.writer.shown(A), undefined)
})

Writer('drain: writes all there is, and hangs on nobody', async ({ house }) => {
  house.changed(A, 1, 'settled')
  await house.clock.advance(1)
  house.changed(A, 2, 'settled')
  house.changed(B, 3, 'settled')
  const drained = house.writer.drain()
  await house.clock.advance(1)
  await drained
  assert.is(house.writer.oldestPending, Number.POSITIVE_INFINITY)
  house.viewsAreAway = true
  house.changed(B, 4, 'settled')
  const tried = house.writer.drain()
  await house.clock.advance(1)
  await tried
  await rest()
  assert.is(house.writer.oldestPending, 4)
})

Writer.run()
