import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hashTypedData } from 'viem'
import { deadlineOf, isOver, refusalOf } from '../../../actors/account/voucher.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { domainSeparator, withdrawalDigest } from '../../../src/domain/proof.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { SeenVouchers, SetAside } from '../../../src/ports/set-asides.ts'
import { WALLET } from '../../fakes/chain/intents.ts'

const TO = toAddress(`0x${'bb'.repeat(20)}`)
const ESCROW = toAddress(`0x${'e5'.repeat(20)}`)
const NOW_S = 1_800_000_000
const now = toUnixMs(NOW_S * 1000)
const request = { wallet: WALLET, to: TO, credits: toCredits(50), requestId: 'w-1' }
const voucher: SetAside = { ...request, nonce: 3n, deadline: NOW_S }
const seen = (time: number, nonce = 3n): SeenVouchers => ({ nonce, block: 10, time })

const Voucher = suite('voucher')

Voucher('refused: nothing, too much, a payee that cannot be paid, an id of another form', () => {
  const codeOf = (more: Partial<typeof request>) =>
    refusalOf({ ...request, ...more }, new Set([ESCROW]))?.code
  for (const fine of [{}, { credits: toCredits(1) }, { credits: toCredits(2n ** 48n - 1n) }]) {
    assert.is(codeOf(fine), undefined)
  }
  assert.is(codeOf({ credits: toCredits(0) }), 'invalid_request')
  assert.is(codeOf({ credits: toCredits(2n ** 48n) }), 'invalid_request')
  assert.is(codeOf({ to: ESCROW }), 'invalid_request')
  assert.is(codeOf({ requestId: '' }), 'invalid_request')
  assert.is(codeOf({ requestId: 'a b' }), 'invalid_request')
  assert.is(codeOf({ requestId: 'x'.repeat(65) }), 'invalid_request')
})

Voucher('deadline: two minutes by the later of the chain and the clock', () => {
  assert.is(deadlineOf(seen(NOW_S + 500), now), NOW_S + 620)
  assert.is(deadlineOf(seen(NOW_S - 500), now), NOW_S + 120)
})

Voucher('over: once a later block is seen whose nonce is still the voucher’s', () => {
  assert.not(isOver(voucher, seen(NOW_S), now), 'the deadline itself still counts')
  assert.ok(isOver(voucher, seen(NOW_S + 1), now))
})

Voucher('over: not while its withdrawal is on chain and the watcher has yet to apply it', () => {
  assert.not(isOver(voucher, seen(NOW_S + 1, 4n), now))
  assert.ok(isOver(voucher, seen(NOW_S + 601, 4n), now), 'but not for ever')
})

Voucher('over: also on a chain that mines nothing, a minute later', () => {
  const after = (seconds: number) => toUnixMs((NOW_S + seconds) * 1000)
  assert.not(isOver(voucher, seen(NOW_S - 100), after(60)))
  assert.ok(isOver(voucher, seen(NOW_S - 100), after(61)))
})

Voucher('digest: what any EIP-712 library makes of it', () => {
  const domain = { name: 'JobEscrow', chainId: 31_337, contract: ESCROW } as const
  const ours = withdrawalDigest(domainSeparator(domain), voucher)
  const { wallet, to, credits, nonce, deadline } = voucher
  const theirs = hashTypedData({
    domain: { name: 'JobEscrow', version: '1', chainId: 31_337, verifyingContract: ESCROW },
    types: {
      Withdrawal: [
        { name: 'wallet', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'credits', type: 'uint64' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Withdrawal',
    message: { wallet, to, credits, nonce, deadline: BigInt(deadline) },
  })
  assert.is(`0x${Buffer.from(ours).toString('hex')}`, theirs)
})

Voucher.run()
