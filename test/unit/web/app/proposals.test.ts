import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { keccak256, stringToHex } from 'viem'
import { partsOf } from '../../../../src/web/app/chain/proposals.ts'

const Proposals = suite('proposals')

Proposals('the governor knows them by their words, of hexadecimal digits, too', () => {
  const calls = { targets: [], values: [], calldatas: [] }
  for (const description of ['Retire a-model: nobody asks for it', '0x', `0x${'c0'.repeat(32)}`]) {
    const [, , , hash] = partsOf({ ...calls, description })
    assert.is(hash, keccak256(stringToHex(description)), description)
  }
})

Proposals.run()
