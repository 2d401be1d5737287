import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeErrorResult } from 'viem'
import { jobEscrowAbi, workerStakingAbi } from '../../../src/chain/abi.ts'
import { depositAddressOf } from '../../../src/chain/deposit-address.ts'
import { refusalOf } from '../../../src/chain/keeper-calls.ts'
import { RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import { jobIdToBytes32, toAddress } from '../../../src/domain/ids.ts'
import { job } from '../../fakes/chain/intents.ts'

const Calls = suite('keeper: what a node says of a call')

const METHOD = 'eth_estimateGas'
const reverted = (data?: unknown) => new RpcError(METHOD, 3, 'execution reverted', data)

Calls('an error that says that all is done: needless', () => {
  const args = [jobIdToBytes32(job(1))] as const
  const data = encodeErrorResult({ abi: jobEscrowAbi, errorName: 'JobNotLocked', args })
  assert.equal(refusalOf(reverted(data)), { type: 'needless', reason: 'JobNotLocked' })
})

Calls('any other error of the escrow: refused, by its name', () => {
  const data = encodeErrorResult({ abi: jobEscrowAbi, errorName: 'EnforcedPause' })
  assert.equal(refusalOf(reverted(data)), { type: 'refused', reason: 'EnforcedPause' })
})

Calls('an error of USDG: refused, by its name', () => {
  assert.equal(refusalOf(reverted('0xab35696f')), { type: 'refused', reason: 'ContractPaused' })
  assert.equal(refusalOf(reverted('0x1fd1cc44')), { type: 'refused', reason: 'AddressFrozen' })
})

Calls('an error that is nobody’s that we know, or none at all: refused', () => {
  const frozen = refusalOf(reverted('0xdeadbeef'))
  assert.equal(frozen, { type: 'refused', reason: 'an error of another contract, 0xdeadbeef' })
  assert.equal(refusalOf(reverted()), { type: 'refused', reason: 'execution reverted' })
  const older = new RpcError(METHOD, -32_000, 'VM Exception: revert')
  assert.is(refusalOf(older)?.type, 'refused')
})

Calls('a proof of two signed answers: taken already is done, a bad one is bad for ever', () => {
  const jobId = jobIdToBytes32(job(1))
  const abi = workerStakingAbi
  const taken = encodeErrorResult({ abi, errorName: 'AlreadyPunished', args: [1, jobId] })
  assert.equal(refusalOf(reverted(taken)), { type: 'needless', reason: 'AlreadyPunished' })
  const bad = encodeErrorResult({ abi, errorName: 'BadSignature' })
  assert.equal(refusalOf(reverted(bad)), { type: 'hopeless', reason: 'BadSignature' })
})

Calls('a node that fails says nothing of the call', () => {
  assert.is(refusalOf(new RpcError(METHOD, -32_005, 'rate limit exceeded')), undefined)
})

Calls('each wallet and each escrow has a deposit address of its own', () => {
  const [one, two] = [toAddress(`0x${'1'.repeat(40)}`), toAddress(`0x${'2'.repeat(40)}`)]
  const found = new Set([one, two].flatMap((a) => [one, two].map((b) => depositAddressOf(a, b))))
  assert.is(found.size, 4)
})

Calls.run()
