import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toAddress } from '../../../src/domain/ids.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { makeFollowers, PAGES_PER_WALLET } from '../../../src/web/live/followers.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

const Live = suite('web: pages that are told of changes')

const wallet = (n: number) => toAddress(`0x${String(n).padStart(40, '0')}`)

function makePages() {
  return makeFollowers({
    ledger: { balance: async () => 'unknown_wallet' },
    jobViews: { page: async () => 'incomplete' },
    reader: {
      head: async () => 1,
      arrivals: async () => [],
      depositAddress: (of) => of,
    },
    clock: new ManualClock(),
    log: makeLog('test', 'silent'),
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

Live.run()
