import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeErrorResult, decodeFunctionResult, encodeFunctionData, type RpcLog } from 'viem'
import { devUsdgAbi, jobEscrowAbi, rComputeAbi, workerStakingAbi } from '../../src/chain/abi.ts'
import type { Contracts } from '../../src/chain/contracts-file.ts'
import { deployContracts } from '../../src/chain/deploy/deploy.ts'
import { defaultTerms } from '../../src/chain/deploy/settings.ts'
import { decodeFacts, TOPICS, WORKER_DEACTIVATED } from '../../src/chain/read/facts.ts'
import { type Rpc, RpcError } from '../../src/chain/rpc/json-rpc.ts'
import { type Address, jobIdToBytes32 } from '../../src/domain/ids.ts'
import type { Hex } from '../../src/ports/escrow.ts'
import { makeLog } from '../../src/telemetry/log.ts'
import {
  addressOf,
  type EmptyChain,
  KEYS,
  SETTINGS,
  startEmptyChain,
} from '../fakes/chain/anvil.ts'
import { until } from '../until.ts'
import { decodeCall, encodeCall } from './chain/call-data.ts'
import type { Call } from './chain/calls.ts'
import { execute } from './chain/contract.ts'
import { earningsNow, treasuryNow } from './chain/contract-earnings.ts'
import { ContractState } from './chain/contract-state.ts'
import { totalOf } from './chain/earnings.ts'
import { encode } from './chain/logs.ts'
import { makeDeeds } from './chain/random-deeds.ts'
import { type ContractTerms, Revert, Scene } from './chain/scene.ts'
import { contractTerms } from './chain/terms.ts'
import { makeRandom } from './random.ts'

const test = suite('the simulated contracts are the contracts')
const DEEDS = 500
const COMPARE_EVERY = 25
const SETTLE_CAP = 10_000n
/** Later than any clock that the node may begin with. */
const BEGIN_SECONDS = 2_000_000_000
/** Of this one it is known that it comes upon everything. */
const SEED = 112
const MANY = 10n ** 30n
const GAS = 4_000_000
const STATUSES = ['None', 'Locked', 'Settled', 'Refunded', 'Disputed', 'Upheld', 'Rejected']
const ERRORS = [...jobEscrowAbi, ...workerStakingAbi, ...devUsdgAbi].filter(
  ({ type }) => type === 'error',
)
const log = makeLog('test', 'silent')
const seed = Number(process.env.CHAIN_MODEL_SEED ?? SEED)

let chain: EmptyChain
let rpc: Rpc
let contracts: Contracts
let terms: ContractTerms
let state = new ContractState()

test.before(async () => {
  chain = await startEmptyChain()
  rpc = chain.rpc
  contracts = await deployContracts({
    rpcUrl: chain.rpcUrl,
    deployerPrivateKey: KEYS.deployer,
    settings: { ...SETTINGS, terms: { ...defaultTerms(), settleCapPerHour: SETTLE_CAP } },
    addressFile: join(chain.dir, 'contracts.json'),
  })
  const { locker, settler, arbiter, pauser, treasury, withdrawalSigner } = SETTINGS
  const admin = addressOf(KEYS.deployer)
  const holders = { locker, settler, arbiter, pauser, treasury, withdrawalSigner, admin }
  terms = contractTerms({}, contracts, holders, SETTLE_CAP)
  state.capPerHour = SETTLE_CAP
  await rpc.call('anvil_autoImpersonateAccount', [true])
})
test.after(() => chain.stop())

test(`${DEEDS} random calls: the same logs, errors and balances (seed ${seed})`, async () => {
  const deeds = makeDeeds(makeRandom(seed), contracts, KEYS)
  for (const address of deeds.people) await equip(address)
  let time = BEGIN_SECONDS
  const seen = new Map<string, number>()
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)
  for (let n = 1; n <= DEEDS; n++) {
    const { sender, call, afterSeconds } = deeds.next(state)
    // Times of their own, so that a seed always comes upon the same.
    time += 1 + afterSeconds
    await rpc.call('evm_setNextBlockTimestamp', [time])
    const label = `deed ${n}, ${call.type} of ${sender}: ${words(call)}`
    const { at, outcome: real, words: said } = await onChain(sender, call)
    const { outcome: model, words: modelSaid } = inModel(sender, call, at)
    assert.equal(model, real, label)
    assert.equal(modelSaid, said, `${label}: what is read of no fact`)
    count(typeof model === 'string' ? `${call.type} ${model}` : call.type)
    for (const each of typeof model === 'string' ? [] : model) {
      count('reason' in each && each.type === 'skipped' ? `skipped ${each.reason}` : each.type)
    }
    if (n % COMPARE_EVERY === 0) await compare(deeds.people, at, label)
  }
  if (seed !== SEED) return
  for (const needed of deeds.mustBeSeen) assert.ok(seen.has(needed), `${needed} never happened`)
})

test('calls come back from their data as they were', () => {
  const deeds = makeDeeds(makeRandom(seed + 1), contracts, KEYS)
  const read = new Set(['lockBatch', 'settleBatch', 'refundBatch', 'disputeBatch', 'register'])
  let compared = 0
  for (let n = 0; n < DEEDS; n++) {
    const { call } = deeds.next(state)
    if (!read.has(call.type)) continue
    assert.equal(decodeCall(encodeCall(call, contracts).data), call)
    compared++
  }
  assert.ok(compared > 100)
})

type Told = string | readonly { readonly type: string; readonly reason?: string }[]

interface Done {
  readonly outcome: Told
  /** Topics and data of the events that the house reads. */
  readonly words: readonly string[]
}
const READ = new Set<string>([...Object.values(TOPICS), WORKER_DEACTIVATED])
const wordsOf = (topics: readonly string[], data: string): readonly string[] =>
  READ.has(topics[0] ?? '') ? [[...topics, data].join(' ')] : []

function inModel(sender: Address, call: Call, at: number): Done {
  const next = state.fork()
  const outcome = execute(new Scene(next, terms, at), sender, call)
  if (outcome instanceof Revert) return { outcome: outcome.message, words: [] }
  state = next
  return {
    outcome: outcome.flatMap((each) => (each.name === 'fact' ? [each.fact] : [])),
    words: outcome
      .map(encode)
      .flatMap(({ topics, words }) => wordsOf(topics, `0x${words.join('')}`)),
  }
}

async function onChain(sender: Address, call: Call): Promise<Done & { readonly at: number }> {
  const transaction = { from: sender, gas: `0x${GAS.toString(16)}`, ...encodeCall(call, contracts) }
  const hash = await rpc.call<Hex>('eth_sendTransaction', [transaction])
  const receipt = await included(hash)
  const block = await rpc.call<{ timestamp: Hex }>('eth_getBlockByNumber', [
    receipt.blockNumber,
    false,
  ])
  const at = Number(block.timestamp)
  if (receipt.status !== '0x1') return { at, outcome: await errorOf(transaction), words: [] }
  const timed = receipt.logs.map((each) => ({ ...each, blockTimestamp: block.timestamp }))
  const facts = decodeFacts(timed, contracts, log)
  return {
    at,
    outcome: facts.map(({ tx, block: _, blockHash, logIndex, ...body }) => body),
    words: receipt.logs.flatMap(({ topics, data }) => wordsOf(topics, data)),
  }
}

interface RpcReceipt {
  readonly status: Hex
  readonly blockNumber: Hex
  readonly logs: readonly RpcLog[]
}

/** The node mines at each transaction, and tells of it a moment later. */
async function included(hash: Hex): Promise<RpcReceipt> {
  let receipt: RpcReceipt | null = null
  await until(`transaction ${hash} in a block`, async () => {
    receipt = await rpc.call<RpcReceipt | null>('eth_getTransactionReceipt', [hash])
    return receipt !== null
  })
  return receipt!
}

/** The block that refused it changed nothing: the same call at its time is refused for the same. */
async function errorOf(transaction: object): Promise<string> {
  try {
    await rpc.call('eth_call', [transaction, 'latest'])
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return decodeErrorResult({ abi: ERRORS, data: error.data as Hex }).errorName
  }
  throw new Error('the call was refused, and then it was not')
}

async function compare(people: readonly Address[], at: number, label: string): Promise<void> {
  const scene = new Scene(state, terms, at)
  for (const address of people) {
    const { available, locked, thawing, lastDepositAt, ...account } = state.account(address)
    assert.equal(
      (await read('accounts', [address])).map(BigInt),
      [available, locked, thawing, BigInt(lastDepositAt)],
      `${label}: account of ${address}`,
    )
    assert.equal(await read('withdrawalNonce', [address]), account.voucherNonce, label)
    const units = await token('balanceOf', [address])
    assert.is(units, state.tokensOf(address), `${label}: tokens of ${address}`)
  }
  for (const [jobId, job] of state.jobs) {
    const { wallet, ...rest } = await read('jobs', [jobIdToBytes32(jobId)])
    const found = { ...rest, credits: BigInt(rest.credits), status: STATUSES[rest.status] }
    assert.equal({ ...found, wallet: wallet.toLowerCase() }, job, `${label}: ${jobId}`)
  }
  for (const [workerId, worker] of state.workers) {
    const held = earningsNow(scene, workerId)
    assert.is(await read('earnings', [workerId]), totalOf(held), `${label}: worker ${workerId}`)
    assert.is(await read('claimableEarnings', [workerId]), held.due, `${label}: ${workerId}`)
    const { withdrawableAt, ...found } = await staking('workers', [workerId])
    const [signer, payee] = [found.signer, found.payee].map((one: string) => one.toLowerCase())
    assert.equal({ ...found, signer, payee }, worker, `${label}: worker ${workerId}`)
  }
  assert.is(await read('treasuryUnits', []), totalOf(treasuryNow(scene)), label)
  assert.is(await read('disputedUnits', []), state.disputedUnits, label)
  const held = await token('balanceOf', [contracts.jobEscrow])
  assert.is(held, state.tokensOf(contracts.jobEscrow), `${label}: tokens of the escrow`)
}

// biome-ignore lint/suspicious/noExplicitAny: what a contract answers differs by function
async function read(functionName: string, args: readonly unknown[]): Promise<any> {
  return ask(contracts.jobEscrow, jobEscrowAbi, functionName, args)
}
const token = (functionName: string, args: readonly unknown[]) =>
  ask(contracts.usdg, devUsdgAbi, functionName, args)
// biome-ignore lint/suspicious/noExplicitAny: as above
const staking = (functionName: string, args: readonly unknown[]): Promise<any> =>
  ask(contracts.workerStaking, workerStakingAbi, functionName, args)

async function ask(to: Address, abi: unknown, functionName: string, args: readonly unknown[]) {
  const about = { abi, functionName, args } as never
  const data = await rpc.call<Hex>('eth_call', [{ to, data: encodeFunctionData(about) }, 'latest'])
  return decodeFunctionResult({ ...(about as object), data } as never)
}

/** Coin for gas, and approvals of all that it will ever have. */
async function equip(address: Address): Promise<void> {
  await rpc.call('anvil_setBalance', [address, `0x${MANY.toString(16)}`])
  const { treasury } = SETTINGS
  await rpc.call('anvil_setBalance', [treasury, `0x${MANY.toString(16)}`])
  const approve = (abi: unknown, spender: Address) =>
    encodeFunctionData({ abi, functionName: 'approve', args: [spender, MANY] } as never)
  const give = { abi: rComputeAbi, functionName: 'transfer', args: [address, 10n ** 24n] } as never
  const steps = [
    { from: address, to: contracts.usdg, data: approve(devUsdgAbi, contracts.jobEscrow) },
    { from: address, to: contracts.rCompute, data: approve(rComputeAbi, contracts.workerStaking) },
    { from: treasury, to: contracts.rCompute, data: encodeFunctionData(give) },
  ]
  for (const step of steps) {
    const hash = await rpc.call<Hex>('eth_sendTransaction', [step])
    const receipt = await included(hash)
    assert.is(receipt.status, '0x1', `equipping ${address}`)
  }
}

const words = (call: Call): string =>
  JSON.stringify(call, (_, value) => (typeof value === 'bigint' ? String(value) : value))

test.run()
