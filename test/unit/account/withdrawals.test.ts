import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeWithdrawals } from '../../../actors/account/withdrawals.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { WALLET } from '../../fakes/chain/intents.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { ScriptedSetAsides, ScriptedVouchers } from '../../fakes/chain/scripted-vouchers.ts'

const TO = toAddress(`0x${'bb'.repeat(20)}`)
const request = { wallet: WALLET, to: TO, credits: toCredits(50), requestId: 'w-1' }

function open() {
  const setAsides = new ScriptedSetAsides()
  const vouchers = new ScriptedVouchers()
  const clock = new ManualClock()
  const loaded: string[] = []
  const load = async (wallet: string) => void loaded.push(wallet)
  const log = makeLog('test', 'silent')
  const withdrawals = makeWithdrawals({ setAsides, vouchers, load, clock, log })
  return { setAsides, vouchers, clock, loaded, withdrawals }
}

const Withdrawals = suite('withdrawals')

Withdrawals(
  'granted: with the nonce on chain, and again the same for the same request',
  async () => {
    const { vouchers, withdrawals, clock } = open()
    vouchers.seen = { nonce: 7n, block: 10, time: 1_800_000_000 }
    const first = await withdrawals.answer(request)
    assert.ok(first.type === 'granted')
    const { signature, ...terms } = first.voucher
    assert.equal(terms, {
      chainId: 31_337,
      escrow: vouchers.escrow,
      wallet: WALLET,
      to: TO,
      credits: 50n,
      nonce: 7n,
      deadline: 1_800_000_120,
    })
    await clock.advance(5_000)
    vouchers.seen = { nonce: 8n, block: 12, time: 1_800_000_005 }
    assert.equal(await withdrawals.answer(request), first)
    for (const changed of [{ credits: toCredits(51) }, { to: WALLET }]) {
      const other = await withdrawals.answer({ ...request, ...changed })
      assert.is(other.type === 'refused' && other.refusal.code, 'request_id_taken')
    }
  },
)

Withdrawals('nothing is signed before credits are set aside', async () => {
  const { setAsides, vouchers, withdrawals } = open()
  setAsides.replies = [
    { type: 'insufficient', remaining: toCredits(49) },
    { type: 'open', deadline: 1_800_000_060 },
  ]
  const poor = await withdrawals.answer(request)
  assert.ok(poor.type === 'refused' && poor.refusal.code === 'insufficient_credits')
  assert.is(poor.refusal.remaining, 49n)
  const busy = await withdrawals.answer(request)
  assert.ok(busy.type === 'refused' && busy.refusal.code === 'voucher_open')
  assert.is(busy.refusal.endsAt, 1_800_000_060)
  assert.match(busy.refusal.message, '2027-01-15T08:01:00.000Z')
  assert.is(vouchers.signed, 0)
})

Withdrawals(
  'a wallet the ledger does not know is loaded; a ledger behind is waited for',
  async () => {
    const { setAsides, withdrawals, clock, loaded } = open()
    setAsides.replies = [{ type: 'unknown_wallet' }, { type: 'stale' }, { type: 'stale' }]
    const answer = withdrawals.answer(request)
    await clock.advance(1_000)
    assert.is((await answer).type, 'granted')
    assert.equal(loaded, [WALLET])

    setAsides.replies = Array(100).fill({ type: 'stale' })
    const never = withdrawals.answer(request)
    await clock.advance(10_000)
    assert.is((await never).type, 'unavailable')
  },
)

Withdrawals('the last one lacks confirmations: waited for, then told as what it is', async () => {
  const { setAsides, withdrawals, clock } = open()
  setAsides.replies = [{ type: 'used' }]
  const soon = withdrawals.answer(request)
  await clock.advance(1_000)
  assert.is((await soon).type, 'granted')

  setAsides.replies = Array(100).fill({ type: 'used' })
  const later = withdrawals.answer({ ...request, requestId: 'w-2' })
  await clock.advance(10_000)
  const answer = await later
  assert.ok(answer.type === 'unavailable' && answer.lastUnconfirmed)
})

Withdrawals('what cannot be paid is refused, and nothing is set aside for it', async () => {
  const { setAsides, vouchers, withdrawals } = open()
  for (const bad of [{ to: vouchers.escrow }, { credits: toCredits(0) }, { requestId: 'a b' }]) {
    const answer = await withdrawals.answer({ ...request, ...bad })
    assert.ok(answer.type === 'refused' && answer.refusal.code === 'invalid_request')
  }
  assert.equal([setAsides.asked, vouchers.signed], [0, 0])
})

Withdrawals('a former one runs out also on a chain that mines nothing', async () => {
  const { setAsides, vouchers, withdrawals, clock } = open()
  await withdrawals.answer(request)
  assert.is(setAsides.time, vouchers.seen.time)
  await clock.advance(300_000)
  await withdrawals.answer({ ...request, requestId: 'w-2' })
  assert.is(setAsides.time, vouchers.seen.time + 240)
})

Withdrawals('a host without the key says so, and what to do instead', async () => {
  const { setAsides, vouchers, withdrawals } = open()
  vouchers.offered = false
  const answer = await withdrawals.answer(request)
  assert.ok(answer.type === 'refused' && answer.refusal.code === 'not_offered')
  assert.match(answer.refusal.message, /requestWithdrawal/)
  assert.is(setAsides.asked, 0)
})

Withdrawals('sweep: ends what has run out, leaves what was used to the watcher', async () => {
  const { setAsides, vouchers, withdrawals, clock } = open()
  await withdrawals.answer(request)
  await withdrawals.sweep()
  assert.equal(setAsides.ended, [], 'its time has not come')
  await clock.advance(130_000)
  await withdrawals.sweep()
  assert.equal(setAsides.ended, [], 'no block has told of it')
  vouchers.seen = { nonce: 1n, block: 20, time: 1_800_000_125 }
  await withdrawals.sweep()
  assert.equal(setAsides.ended, [], 'used')
  vouchers.seen = { nonce: 0n, block: 20, time: 1_800_000_125 }
  await withdrawals.sweep()
  assert.equal(setAsides.ended, ['w-1'])
})

Withdrawals.run()
