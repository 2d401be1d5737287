import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RefusalError, refuse } from '../../../src/api/http/errors.ts'
import { type Credits, toCredits } from '../../../src/domain/credits.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { reserveCredits } from '../../../src/edge/chat/reserve-credits.ts'
import { makeSharedLooks } from '../../../src/edge/chat/shared-looks.ts'
import type { ReserveReply } from '../../../src/ports/ledger.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'

const Returning = suite('edge: many requests wait for credits on their way back')

const PRICE = 8
const wanted = {
  wallet: toAddress(`0x${'1'.repeat(40)}`),
  tier: 'standard',
  maxTokens: 10,
  answerMax: 1_000,
  returning: toCredits(0),
} as const

/** A wallet that has spent everything, and `returning` to come. */
function stage(returning: number) {
  const clock = new ManualClock()
  const wallet = { remaining: 0, returning, reads: 0, refusals: 0 }
  const funds = () => ({
    remaining: toCredits(wallet.remaining),
    returning: toCredits(wallet.returning),
  })
  const balances = {
    load: async () => {},
    read: async () => {
      wallet.reads++
      return { ...funds(), lastTopupAt: null }
    },
  }
  const set = async (credits: Credits): Promise<ReserveReply> => {
    if (wallet.refusals-- > 0) throw refuse('service_unavailable', 'Redis did not answer')
    if (toCredits(wallet.remaining) < credits) return { type: 'insufficient', ...funds() }
    wallet.remaining -= Number(credits)
    return { type: 'reserved', remaining: funds().remaining }
  }
  const world = { balances, clock, look: makeSharedLooks({ balances, clock }) }
  const ends: string[] = []
  const ask = (name: string) =>
    reserveCredits(world, wanted, set).then(
      () => ends.push(`${name} reserved`),
      (error) => {
        assert.instance(error, RefusalError)
        ends.push(`${name} ${(error as RefusalError).refusal.code}`)
      },
    )
  const comesBack = (credits: number) => {
    wallet.remaining += credits
    wallet.returning -= credits
  }
  return { clock, wallet, ends, ask, comesBack }
}

Returning('the ledger is asked for all of them together', async () => {
  const { clock, wallet, ends, ask, comesBack } = stage(100 * PRICE)
  const all = Array.from({ length: 100 }, (_, i) => ask(`${i}`))
  await clock.advance(1_000)
  assert.ok(wallet.reads <= 20, `${wallet.reads} questions in a second`)
  comesBack(100 * PRICE)
  await clock.advance(100)
  await Promise.all(all)
  assert.is(ends.filter((end) => end.endsWith('reserved')).length, 100)
})

Returning(
  'whoever has waited longest is the next one, and nobody is sent away for it',
  async () => {
    const { clock, ends, ask, comesBack } = stage(10 * PRICE)
    const names = [...'abcdefghij']
    const all = names.map(ask)
    await rest()
    for (const _ of names) {
      comesBack(PRICE)
      await clock.advance(100)
    }
    await Promise.all(all)
    assert.equal(
      ends,
      names.map((name) => `${name} reserved`),
    )
  },
)

Returning('what the first in the line cannot take goes to the next one', async () => {
  const { clock, wallet, ends, ask, comesBack } = stage(PRICE)
  const all = [ask('first'), ask('second')]
  await rest()
  comesBack(PRICE)
  wallet.refusals = 1
  await clock.advance(200)
  await Promise.all(all)
  assert.equal(ends, ['first service_unavailable', 'second reserved'])
})

Returning.run()
