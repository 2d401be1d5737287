import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { ChainFact } from '../../../src/ports/escrow.ts'
import { job } from '../../fakes/chain/intents.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'
import { WatcherHouse } from '../../fakes/chain/watcher-house.ts'

const Slashes = suite('chain watcher: worker.slashed')

const WORKER = toAddress(`0x${'ab'.repeat(20)}`)
const TOKEN = 10n ** 18n

/** A block in which the worker is slashed, once for each amount. */
const slash = (house: WatcherHouse, ...amounts: bigint[]) =>
  house.chain.mine((at) =>
    amounts.map((amount, logIndex): ChainFact => {
      const about = { signer: WORKER, reason: 'equivocation', relatedJobId: job(logIndex + 1) }
      return { ...at, ...about, logIndex, type: 'worker_slashed', amount, at: toUnixMs(7) }
    }),
  )

Slashes(
  'told in whole tokens, rounded down, each slashing of a transaction by itself',
  async () => {
    const house = new WatcherHouse()
    const watcher = await house.watch()
    slash(house, 3n * TOKEN - 1n, 0n)
    await rest()
    const { told } = house.wallets
    assert.equal(
      told.map((fact) => fact.type === 'worker.slashed' && fact.data.slash_amount_rcompute),
      [2, 0],
    )
    const [first, second] = told
    assert.ok(first?.type === 'worker.slashed' && second)
    assert.equal([first.worker, first.at], [WORKER, 7])
    const { worker_address, reason, related_job_id } = first.data
    assert.equal([worker_address, reason, related_job_id], [WORKER, 'equivocation', job(1)])
    assert.is.not(first.id, second.id)
    await watcher.stop()
  },
)

Slashes('told until it is stored: the cursor waits; then again under the same id', async () => {
  const house = new WatcherHouse()
  house.wallets.failing = true
  const watcher = await house.watch()
  slash(house, TOKEN)
  await house.clock.advance(1_000)
  assert.is(house.saved(), undefined)
  await watcher.stop()
  house.wallets.failing = false
  const next = await house.watch()
  await rest()
  assert.is(house.wallets.told.length, 1)
  await house.clock.advance(1_000)
  await next.stop()
  assert.is(house.saved(), 1)
  house.registry.entries.clear()
  const late = await house.watch()
  await rest()
  const [told, again] = house.wallets.told
  assert.is(again?.id, told?.id)
  await late.stop()
})

Slashes.run()
