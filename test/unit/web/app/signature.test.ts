import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type Hex,
  parseSignature,
  recoverMessageAddress,
  serializeCompactSignature,
  signatureToCompactSignature,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { plainSignature, signatureParts } from '../../../../src/web/app/wallet/signature.ts'

const Signatures = suite('signatures of wallets')

const account = privateKeyToAccount(`0x${'1'.repeat(64)}`)
// One for each parity, whatever the key is.
const MESSAGES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

const withV = (signature: Hex, v: string): Hex => `${signature.slice(0, -2) as Hex}${v}`

Signatures('v as 0 or 1, or no v at all: the same as with 27 or 28', async () => {
  const parities = new Set<number>()
  for (const message of MESSAGES) {
    const plain = await account.signMessage({ message })
    const { r, s, yParity } = parseSignature(plain)
    parities.add(yParity)
    const forms = [
      plain,
      withV(plain, `0${yParity}`),
      serializeCompactSignature(signatureToCompactSignature({ r, s, yParity })),
    ]
    for (const form of forms) {
      assert.is(plainSignature(form), plain)
      assert.equal(signatureParts(form), { v: 27 + yParity, r, s })
      const signature = plainSignature(form)
      assert.is(await recoverMessageAddress({ message, signature }), account.address)
    }
  }
  assert.is(parities.size, 2)
})

const MAGIC_6492 = '6492'.repeat(16)

for (const [name, signature] of [
  ['of a contract', `0x${'ab'.repeat(96)}`],
  ['of a contract to be', `0x${'00'.repeat(200)}${MAGIC_6492}`],
  ['with a v that is none', `0x${'11'.repeat(64)}05`],
  ['empty', '0x'],
] as const) {
  Signatures(`${name}: left as it is, and no parts`, () => {
    assert.is(plainSignature(signature), signature)
    assert.throws(() => signatureParts(signature), /not of an account with a key/)
  })
}

Signatures.run()
