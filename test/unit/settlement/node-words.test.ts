import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { raiseFees } from '../../../src/chain/send/fees.ts'
import { readRefusal } from '../../../src/chain/send/offer.ts'

/** What nodes say of a transaction that they do not take, as they say it. */
const WORDS = {
  taken: [
    'already known', // geth, reth
    'transaction already imported', // anvil
    'existing tx with same hash', // erigon
    'AlreadyKnown', // nethermind
    'Known transaction', // besu
  ],
  nonce_spent: [
    'nonce too low',
    'nonce too low: next nonce 9, tx nonce 5',
    'OldNonce, Current nonce: 9, nonce of rejected tx: 5',
    'Nonce too low',
  ],
  nonce_ahead: [
    'nonce too high',
    'NonceGap, Future nonce. Expected nonce: 3',
    'Transaction nonce is too distant from current sender nonce',
  ],
  outbid: [
    'replacement transaction underpriced', // geth, reth, anvil
    'could not replace existing tx', // erigon
    'ReplacementNotAllowed', // nethermind
    'Replacement transaction underpriced',
  ],
  no_funds: [
    'insufficient funds for gas * price + value: balance 1, tx cost 3000, overshot 2999',
    'Insufficient funds for gas * price + value',
    'InsufficientFunds, Account balance: 0, cumulative cost: 3',
    'Upfront cost exceeds account balance',
    'sender lack of funds for max fee',
    'not enough funds for gas',
    "Sender doesn't have enough funds to send tx. The max upfront cost is: 9",
    'not enough balance to cover the fee',
    'transaction would cause overdraft',
  ],
  too_large: [
    'exceeds block gas limit',
    'intrinsic gas too low: gas 20000, minimum needed 21000',
    'intrinsic gas too high -- tx.gas_limit > env.block.gas_limit',
    'insufficient gas for floor data gas cost: gas 21000, minimum needed 22000',
    'transaction gas limit too high (cap: 16777216, tx: 20000000)',
    'GasLimitExceeded, Gas limit: 30000000, gas limit of rejected tx: 40000000',
    'Transaction gas limit exceeds block gas limit',
    'gas limit too high',
    'Calldata of transaction is greater than the allowed max of 30000',
    'rlp too long',
    'oversized data: transaction size 140000, limit 131072',
    'MaxTxSizeExceeded',
    'Transaction line count for module MUL=587 is above the limit 400',
    'tx fee (1.61 ether) exceeds the configured cap (1.00 ether)',
    'Transaction fee cap exceeded',
  ],
  underpriced: [
    'transaction underpriced: gas tip cap 1, minimum needed 2',
    'max fee per gas less than block base fee',
    'max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1, baseFee: 7',
    'FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 7',
    'fee too low',
    'gas price too low',
    'Transaction maxFeePerGas (1) is too low for the next block, which has a baseFeePerGas of 7',
    'Gas price below configured minimum gas price',
    'Gas price is less than the current BaseFee',
  ],
  unknown: ['txpool is full', 'header not found', 'internal error', 'rate limit exceeded'],
} as const

const Nodes = suite("nodes' words")

for (const [meaning, texts] of Object.entries(WORDS)) {
  for (const text of texts) {
    Nodes(`${meaning}: ${text}`, () => assert.is(readRefusal(text), meaning))
  }
}

const gwei = (count: number) => BigInt(Math.round(count * 1e9))
const fees = (max: number, tip: number) => ({
  maxFeePerGas: gwei(max),
  maxPriorityFeePerGas: gwei(tip),
})
const CAP = gwei(100)

Nodes('fees rise by an eighth at least, tip and all', () => {
  assert.equal(raiseFees(fees(8, 1), fees(4, 0.5), CAP), fees(9, 1.125))
  const tiny = { maxFeePerGas: 3n, maxPriorityFeePerGas: 1n }
  const raised = raiseFees(tiny, tiny, CAP)
  assert.ok(raised !== 'capped' && raised.maxFeePerGas === 4n && raised.maxPriorityFeePerGas === 2n)
})
Nodes('fees rise to what the chain asks now', () => {
  assert.equal(raiseFees(fees(8, 1), fees(40, 3), CAP), fees(40, 3))
})
Nodes('the last step goes to the cap, and none beyond', () => {
  assert.equal(raiseFees(fees(80, 1), fees(400, 3), CAP), fees(100, 3))
  assert.is(raiseFees(fees(89, 1), fees(400, 3), CAP), 'capped')
})
Nodes('the tip is never above the whole', () => {
  const raised = raiseFees(fees(80, 79), fees(90, 400), CAP)
  assert.ok(raised !== 'capped' && raised.maxPriorityFeePerGas === raised.maxFeePerGas)
})

Nodes.run()
