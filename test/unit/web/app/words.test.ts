import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { paymentLink } from '../../../../src/web/app/pages/buy/payment-link.ts'
import { withdrawalFault } from '../../../../src/web/app/pages/withdraw/amount-fault.ts'
import {
  credits,
  precise,
  short,
  span,
  usdgOfCredits,
  usdgOfUnits,
} from '../../../../src/web/app/parts/words.ts'
import { wrongAddress } from '../../../../src/web/app/parts/wrong-address.ts'

const Words = suite('how the web app says things')

Words('credits and what they are worth', () => {
  assert.is(credits(1), '1 credit')
  assert.is(credits(12_340), '12,340 credits')
  assert.is(usdgOfCredits(12_340), '123.40 USDG')
  assert.is(usdgOfUnits(25_000_000n), '25.00 USDG')
  // Of 3 credits a worker earns 75 %: not a whole cent, and never said to be more than it is.
  assert.is(usdgOfUnits(22_500n), '0.0225 USDG')
  assert.is(usdgOfUnits(1n), '0.000001 USDG')
})

Words('a moment in the life of a job, to the second and with its zone', () => {
  assert.match(
    precise('2026-11-26T19:22:40Z'),
    /^Nov 2\d, 2026, \d+:\d\d:40.[AP]M (UTC|GMT|[A-Z]+)/,
  )
})

Words('a span of time, in at most two units, never below nothing', () => {
  assert.is(span(-5), '0 s')
  assert.is(span(1), '1 s')
  assert.is(span(59_000), '59 s')
  assert.is(span(252_000), '4 min 12 s')
  assert.is(span(3_840_000), '1 h 4 min')
  assert.is(span(90_000_000), '1 d 1 h')
})

Words('a long hash by its ends', () => {
  assert.is(short(`0x12ab${'0'.repeat(56)}9f04`), '0x12ab…9f04')
  assert.is(short('0x12'), '0x12')
})

Words('a payment link is a plain transfer, with or without the amount (EIP-681)', () => {
  const payment = { token: '0xaa', chainId: 1, to: '0xbb' }
  assert.is(
    paymentLink({ ...payment, units: 1_000_000n }),
    'ethereum:0xaa@1/transfer?address=0xbb&uint256=1000000',
  )
  assert.is(paymentLink({ ...payment, units: undefined }), 'ethereum:0xaa@1/transfer?address=0xbb')
})

Words('what cannot be withdrawn says why', () => {
  assert.is(withdrawalFault(undefined, 10), null)
  assert.is(withdrawalFault(10, 10), null)
  assert.match(withdrawalFault(0, 10) ?? '', /At least 1/)
  assert.match(withdrawalFault(11, 10) ?? '', /You have 10 credits available/)
  assert.is(wrongAddress(`0x${'ab'.repeat(20)}`), null)
  assert.is(
    wrongAddress(`0x${'aB'.repeat(20)}`),
    'The address has a wrong checksum: a digit or letter is off.',
  )
  assert.match(wrongAddress('0x12') ?? '', /40 hexadecimal digits/)
})

Words.run()
