import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeErrorResult } from 'viem'
import { jobEscrowAbi } from '../../../src/chain/abi.ts'
import { refusalOf } from '../../../src/chain/keeper-calls.ts'
import { RpcError, revertDataOf } from '../../../src/chain/rpc/json-rpc.ts'

const SAID = encodeErrorResult({ abi: jobEscrowAbi, errorName: 'NothingToClaim' })
const METHOD = 'eth_estimateGas'

const Reverts = suite('what a contract said when it reverted')

Reverts('is found where any node puts it', () => {
  const refusals: readonly (readonly [string, number, string, unknown])[] = [
    ['geth', 3, 'execution reverted', SAID],
    ['nethermind', -32_015, 'VM execution error.', `Reverted ${SAID}`],
    [
      'hardhat',
      -32_603,
      'VM Exception while processing transaction: reverted with an unrecognized custom error',
      { message: 'reverted', data: SAID },
    ],
  ]
  for (const [node, code, words, data] of refusals) {
    const error = new RpcError(METHOD, code, words, data)
    assert.is(revertDataOf(error), SAID, node)
    assert.equal(refusalOf(error), { type: 'needless', reason: 'NothingToClaim' }, node)
  }
})

Reverts('is nothing where a node says nothing of it', () => {
  for (const data of [undefined, null, '0x', {}, { data: null }, { data: {} }, 7, 'reverted']) {
    assert.is(revertDataOf(new RpcError(METHOD, 3, 'execution reverted', data)), undefined)
  }
  const failed = new RpcError(METHOD, -32_000, 'header not found')
  assert.is(refusalOf(failed), undefined, 'a node that failed has refused nothing')
})

Reverts.run()
