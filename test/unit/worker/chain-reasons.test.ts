import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ContractFunctionRevertedError, encodeErrorResult } from 'viem'
import { USDG_ERRORS } from '../../../src/chain/usdg-errors.ts'
import { escrowAbi, usdgErrors } from '../../../src/worker/chain/abi.ts'
import { reasonOf } from '../../../src/worker/chain/chain.ts'

/** What an operator is told whose `claim` the contract, or USDG behind it, refuses. */
const Reasons = suite('why the chain refuses')

const abi = [...escrowAbi, ...usdgErrors]

const refused = (errorName: 'AddressFrozen' | 'ContractPaused' | 'NothingToClaim') =>
  reasonOf(
    new ContractFunctionRevertedError({
      ...{ abi, functionName: 'claim' },
      data: encodeErrorResult({ abi, errorName }),
    }),
  )

Reasons('a payee that USDG has frozen: by name, with what to do', () => {
  const told = refused('AddressFrozen')
  assert.match(told, /^AddressFrozen\(\)\. The issuer of USDG has frozen the payee/)
  assert.match(told, 'setPayee')
  assert.match(told, 'what is earned is kept')
})

Reasons('a USDG that is paused is waited for', () => {
  assert.match(refused('ContractPaused'), /^ContractPaused\(\)\. The issuer of USDG has paused it/)
})

Reasons('what its name says needs no more words', () => {
  assert.is(refused('NothingToClaim'), 'NothingToClaim()')
})

Reasons('the names are those that the service knows', () => {
  const known = USDG_ERRORS.map(({ name }) => name as string)
  for (const { name } of usdgErrors) assert.ok(known.includes(name), name)
})

Reasons.run()
