import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openSigner, requireOwnAddresses } from '../../../src/chain/send/signers.ts'
import { OperatorError } from '../../../src/domain/operator-error.ts'

const Own = suite('each sender has an address of its own')

/** The address of `KEY`, as the settings of an external signer may have it. */
const ADDRESS = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const KEY = `0x${'11'.repeat(32)}`

Own('a key here and an external signer of the same one: refused, whatever the case', () => {
  const { address } = openSigner({ privateKey: KEY }).signer
  assert.throws(
    () => requireOwnAddresses({ LOCKER: address, SETTLER: ADDRESS }),
    (error: unknown) =>
      error instanceof OperatorError &&
      /^SETTLER and LOCKER send with one address/.test(error.message),
  )
})

Own('others, and those that are not there: taken', () => {
  requireOwnAddresses({ LOCKER: ADDRESS, SETTLER: `0x${'2'.repeat(40)}`, KEEPER: undefined })
  requireOwnAddresses({ LOCKER: undefined, SETTLER: undefined, KEEPER: ADDRESS })
})

Own.run()
