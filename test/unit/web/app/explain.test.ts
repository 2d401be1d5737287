import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type Abi,
  BaseError,
  ContractFunctionExecutionError,
  ContractFunctionRevertedError,
  createClient,
  custom,
  encodeErrorResult,
  getAbiItem,
  HttpRequestError,
  InsufficientFundsError,
  InternalRpcError,
  InvalidInputRpcError,
  parseAbi,
  TransactionExecutionError,
  toFunctionSelector,
  UnknownRpcError,
  UserRejectedRequestError,
  WaitForTransactionReceiptTimeoutError,
} from 'viem'
import { writeContract } from 'viem/actions'
import { formatAbiItem } from 'viem/utils'
import {
  computeGovernorAbi,
  devUsdgAbi,
  jobEscrowAbi,
  modelRegistryAbi,
  rComputeAbi,
  workerStakingAbi,
} from '../../../../src/chain/abi.ts'
import { USDG_ERRORS } from '../../../../src/chain/usdg-errors.ts'
import { BY_SELECTOR, CONTRACT_REFUSALS } from '../../../../src/web/app/api/contract-refusals.ts'
import { explain, isFinal, isRejection } from '../../../../src/web/app/api/explain.ts'
import { ApiFailure, NoCookie, Unreachable } from '../../../../src/web/app/api/failure.ts'
import { NoKeySignature, NoSignature } from '../../../../src/web/app/wallet/signature.ts'

const TIMELOCK = parseAbi(['error TimelockUnexpectedOperationState(bytes32 id, bytes32 states)'])

const Explain = suite('what errors say to people')

const failure = (status: number, code: string) =>
  new ApiFailure('What was wrong.', { status, code, requestId: 'r1' })

Explain('a browser without cookies, a wallet that is a contract: what to do instead', () => {
  assert.match(explain(new NoCookie('no cookie')).todo, /Allow cookies/)
  assert.match(explain(new NoKeySignature('of no key')).todo, /QR or transfer/)
})

Explain('a refusal of the API: its own words, and what to do by its code', () => {
  assert.equal(explain(failure(409, 'key_exists')), {
    what: 'What was wrong.',
    todo: 'Revoke the active key first, then create a new one.',
    requestId: null,
  })
  // Nothing that the message names could be changed.
  for (const code of ['not_offered', 'not_your_worker', 'worker_not_found']) {
    assert.not.match(explain(failure(409, code)).todo, /Change what/)
  }
})

Explain('a code nobody foresaw still says what to do', () => {
  assert.match(explain(failure(401, 'session_required')).todo, /Sign in again/)
  assert.match(explain(failure(503, 'x')).todo, /Wait a few seconds/)
  assert.match(explain(failure(429, '')).todo, /Wait a few seconds/)
  assert.match(explain(failure(422, 'x')).todo, /Change what the message names/)
})

Explain('nobody is told to try again what stays refused', () => {
  assert.is(isFinal(failure(404, 'job_not_found')), true)
  assert.is(isFinal(failure(400, 'invalid_request')), true)
  assert.is(isFinal(failure(429, 'rate_limited')), false)
  assert.is(isFinal(failure(503, 'service_unavailable')), false)
  assert.is(isFinal(new Unreachable('No answer.', { wasSent: false })), false)
})

Explain('a failure on our side carries the number to quote', () => {
  assert.is(explain(failure(500, 'internal_error')).requestId, 'r1')
})

Explain('a script that does not come when it is needed: not in the words of the browser', () => {
  for (const words of [
    'Failed to fetch dynamically imported module: https://app.example/assets/ccip-1.js',
    'error loading dynamically imported module: https://app.example/assets/ccip-1.js',
    'Importing a module script failed.',
  ]) {
    const { what } = explain(new BaseError('odd', { cause: new TypeError(words) }))
    assert.is(what, 'A part of this app could not be loaded.')
  }
})

Explain('no answer to a question: nothing was changed', () => {
  const lost = new Unreachable('The service did not answer.', { wasSent: false })
  assert.match(explain(lost).todo, /Nothing was changed/)
})

Explain('no answer to what changes something: it may have been done', () => {
  const lost = new Unreachable('The service did not answer.', { wasSent: true })
  assert.match(explain(lost).todo, /It may have been done all the same/)
  assert.not.match(explain(failure(503, 'service_unavailable')).todo, /Nothing was changed/)
})

Explain('declined in the wallet, however deep it lies: nothing was spent', () => {
  const declined = new UserRejectedRequestError(new Error('no'))
  const sent = new TransactionExecutionError(declined, { account: null })
  for (const error of [declined, sent, { code: 4001, message: 'no' }]) {
    assert.ok(isRejection(error))
    assert.match(explain(error).todo, /nothing was spent/)
  }
  assert.not.ok(isRejection(new Error('no')))
})

/** As wallets answer. */
const said = (code: number, message: string, data?: unknown) =>
  Object.assign(new Error(message), { code, data })

Explain(
  'declined: also inside of an error of the wallet, by another code, or in words alone',
  () => {
    const internal = 'Internal JSON-RPC error.'
    const rejected = { code: 4001, message: 'User denied message signature.' }
    for (const cause of [
      said(-32603, internal, rejected),
      said(-32603, internal, { originalError: rejected }),
      said(5000, 'closed'),
      { code: 'ACTION_REJECTED', message: 'no' },
      { message: 'MetaMask Tx Signature: User denied transaction signature.' },
    ]) {
      assert.ok(isRejection(new InternalRpcError(cause as Error)), JSON.stringify(cause))
    }
  },
)

Explain('what a library takes for a rejection, and nobody rejected', () => {
  const cannot = said(-32602, 'Expected an array with at least one valid string HTTPS url')
  const wrapped = new UserRejectedRequestError(new UserRejectedRequestError(cannot))
  assert.not.ok(isRejection(wrapped))
})

Explain('a contract that refuses in words: they are said, and not that it was an error', () => {
  const words = 'Blacklistable: account is blacklisted'
  const data = encodeErrorResult({
    abi: parseAbi(['error Error(string)']),
    args: [words],
  })
  const cause = new ContractFunctionRevertedError({ abi: [], data, functionName: 'transfer' })
  const refused = new ContractFunctionExecutionError(cause, { abi: [], functionName: 'transfer' })
  assert.is(explain(refused).what, `The contract refused: “${words}”.`)
})

Explain('a wallet that could not: in its own words, not in those of a code', () => {
  const { what, todo } = explain(new InvalidInputRpcError(said(-32000, 'Locked device (0x5515)')))
  assert.is(what, 'Your wallet could not do it.')
  assert.match(todo, /^It says: “Locked device \(0x5515\)”/)
  assert.match(explain(new UnknownRpcError(new Error(''))).todo, /^Look into the wallet/)
  const noCoin = said(-32603, 'Internal JSON-RPC error.', {
    ...{ code: -32000, message: 'insufficient funds for gas * price + value' },
  })
  assert.match(explain(new InternalRpcError(noCoin)).what, /too little of the chain’s own coin/)
})

Explain('another chain, no account, no signature: what to do in the wallet', () => {
  const called = (name: string) => Object.assign(new Error('x'), { name })
  assert.match(explain(called('NotSwitched')).todo, /add it there/)
  assert.match(explain(called('ConnectorChainMismatchError')).what, /on another chain/)
  assert.match(explain(called('NoAccount')).todo, /unlock it/)
  assert.match(explain(new NoSignature('x')).todo, /nothing was spent/)
})

Explain('an earlier question of the wallet is open', () => {
  assert.match(explain({ code: -32002, message: 'pending' }).todo, /Open the wallet/)
})

Explain('no coin for the fee; a chain that does not answer', () => {
  assert.match(explain(new InsufficientFundsError()).todo, /coin/)
  const silent = new HttpRequestError({ url: 'http://chain' })
  const { todo } = explain(new BaseError('x', { cause: silent }))
  assert.match(todo, /If you confirmed a transaction, look at your history/)
})

Explain('a transaction that is in no block in time is not said to be lost', () => {
  const notYet = new WaitForTransactionReceiptTimeoutError({ hash: `0x${'1'.repeat(64)}` })
  const { what, todo } = explain(notYet)
  assert.match(what, /was sent, and has been seen in no block yet/)
  assert.match(todo, /before you try again, look at your history/)
})

Explain('a revert is told by its name', () => {
  const data = encodeErrorResult({
    abi: jobEscrowAbi,
    errorName: 'BelowMinimumDeposit',
    args: [99n, 100n],
  })
  const reverted = new ContractFunctionRevertedError({
    abi: jobEscrowAbi,
    data,
    functionName: 'deposit',
  })
  const error = new ContractFunctionExecutionError(reverted, {
    abi: jobEscrowAbi,
    args: [`0x${'1'.repeat(40)}`, 99n],
    functionName: 'deposit',
  })
  assert.is(explain(error).todo, 'Buy at least 100 credits.')
})

const INTERFACES: Abi = [
  ...[...jobEscrowAbi, ...devUsdgAbi, ...USDG_ERRORS, ...rComputeAbi, ...modelRegistryAbi],
  ...[...workerStakingAbi, ...computeGovernorAbi, ...TIMELOCK],
]

Explain('so is one that the contract passes on from a token, the registry or the timelock', () => {
  assert.equal(Object.values(BY_SELECTOR).sort(), Object.keys(CONTRACT_REFUSALS).sort())
  for (const [selector, name] of Object.entries(BY_SELECTOR)) {
    const error = getAbiItem({ abi: INTERFACES, name })
    assert.ok(error, name)
    assert.is(toFunctionSelector(formatAbiItem(error)), selector)
    const reverted = new ContractFunctionRevertedError({
      abi: [],
      data: selector as `0x${string}`,
      functionName: 'deposit',
    })
    assert.equal(explain(reverted), CONTRACT_REFUSALS[name])
  }
})

Explain('and one that a wallet hides in an error of its own', async () => {
  const data = encodeErrorResult({
    ...{ abi: jobEscrowAbi, errorName: 'BelowMinimumDeposit', args: [99n, 100n] },
  })
  const ofNode = { code: 3, message: 'execution reverted', data }
  for (const answer of [
    said(3, 'execution reverted', data),
    said(-32000, 'execution reverted', data),
    said(-32603, 'Internal JSON-RPC error.', ofNode),
    said(-32603, 'execution reverted', { originalError: ofNode }),
    said(-32603, 'Internal JSON-RPC error.', { cause: ofNode }),
  ]) {
    const request = async ({ method }: { readonly method: string }) => {
      if (method === 'eth_chainId') return '0x1'
      throw answer
    }
    const client = createClient({ transport: custom({ request }, { retryCount: 0 }) })
    const error = await writeContract(client, {
      ...{ abi: jobEscrowAbi, functionName: 'cancelWithdrawal', chain: null },
      ...{ address: `0x${'1'.repeat(40)}`, account: `0x${'2'.repeat(40)}` },
    }).catch((error: unknown) => error)
    assert.equal(explain(error), CONTRACT_REFUSALS.BelowMinimumDeposit, JSON.stringify(answer))
  }
})

Explain('anything else says its short message and that the chain keeps what is there', () => {
  assert.is(explain(new Error('odd')).what, 'odd')
  assert.match(explain('odd').todo, /not lost/)
})

Explain.run()
