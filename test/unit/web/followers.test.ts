import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Address, toAddress } from '../../../src/domain/ids.ts'
import type { JobView } from '../../../src/messages/job-view.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { makeFollowers, PAGES_PER_WALLET } from '../../../src/web/live/followers.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { jobAt, viewOf } from '../../fakes/jobs/views.ts'

const Live = suite('web: pages that are told of changes')

const wallet = (n: number) => toAddress(`0x${String(n).padStart(40, '0')}`)

interface Chain {
  readonly head?: () => Promise<number>
  readonly arrivals?: (from: number, to: number) => Promise<readonly Address[]>
}

function makePages(
  chain: Chain = {},
  clock = new ManualClock(),
  known: Partial<Parameters<typeof makeFollowers>[0]> = {},
) {
  return makeFollowers({
    ledger: { balance: async () => 'unknown_wallet' },
    jobViews: { page: async () => 'incomplete' },
    reader: {
      head: async () => 1,
      arrivals: async () => [],
      depositAddress: (of) => of,
      ...chain,
    },
    clock,
    log: makeLog('test', 'silent'),
    ...known,
  })
}

Live('one wallet holds so many places, and leaves those of others alone', async () => {
  const pages = makePages()
  const [busy, other] = [wallet(1), wallet(2)]
  const ends = []
  for (let i = 0; i < PAGES_PER_WALLET; i++) {
    assert.is(pages.isFull(busy), false)
    ends.push(await pages.follow(busy, () => {}))
  }
  assert.is(pages.isFull(busy), true)
  assert.is(pages.isFull(other), false)
  ends[0]!()
  ends[0]!()
  assert.is(pages.isFull(busy), false, 'a page that closed gives its place back')
  pages.stop()
})

Live('a purchase is told beside a job that moved', async () => {
  const clock = new ManualClock()
  let balance: unknown = { remaining: 100n, returning: 0n, lastTopupAt: null }
  let jobs: unknown = { type: 'page', jobs: [], hasMore: false }
  const pages = makePages({}, clock, {
    ledger: { balance: async () => balance as never },
    jobViews: { page: async () => jobs as never },
  })
  const told: (readonly string[])[] = []
  await pages.follow(wallet(1), (queries) => void told.push(queries))
  balance = { remaining: 92n, returning: 0n, lastTopupAt: null }
  jobs = { type: 'page', jobs: [1], hasMore: false }
  await clock.advance(1_000)
  balance = { remaining: 184n, returning: 0n, lastTopupAt: 7 }
  jobs = { type: 'page', jobs: [1, 2], hasMore: false }
  await clock.advance(1_000)
  assert.equal(told, [
    ['jobs', 'account'],
    ['jobs', 'account', 'movements'],
  ])
  pages.stop()
})

Live('what arrived in blocks that a node did not tell of is told by the next look', async () => {
  const clock = new ManualClock()
  const mine = wallet(1)
  let head = 10
  const asked: (readonly [number, number])[] = []
  const pages = makePages(
    {
      head: async () => head,
      arrivals: async (from, to) => {
        asked.push([from, to])
        if (asked.length === 1) throw new Error('the node does not answer')
        return from <= 11 && 11 <= to ? [mine] : []
      },
    },
    clock,
  )
  const told: unknown[] = []
  await pages.follow(mine, (queries) => void told.push(queries))
  head = 11
  await clock.advance(1_000)
  head = 12
  await clock.advance(1_000)
  assert.equal(asked, [
    [11, 11],
    [11, 12],
  ])
  assert.equal(told, [['arrivals', 'account']])
  pages.stop()
})

Live('a chain that is silent holds up neither a page that opens nor news of its jobs', async () => {
  const clock = new ManualClock()
  const jobs: JobView[] = []
  const page = async () =>
    ({ type: 'page', jobs: [...jobs], hasMore: false, modelSeen: true }) as const
  const pages = makePages({ head: () => new Promise(() => {}) }, clock, { jobViews: { page } })
  const told: unknown[] = []
  let opened = false
  void pages
    .follow(wallet(1), (queries) => void told.push(queries))
    .then(() => {
      opened = true
    })
  await clock.advance(1_000)
  assert.is(opened, true)
  for (const status of ['pending', 'processing'] as const) {
    jobs[0] = viewOf(jobAt(1), status)
    await clock.advance(1_000)
  }
  const news = ['jobs', 'account']
  assert.equal(told, [news, news])
  pages.stop()
})

Live.run()
