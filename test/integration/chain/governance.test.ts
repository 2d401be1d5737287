import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeFunctionData, type Hex, keccak256, toBytes } from 'viem'
import {
  computeGovernorAbi,
  jobEscrowAbi,
  modelRegistryAbi,
  rComputeAbi,
  workerStakingAbi,
} from '../../../src/chain/abi.ts'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { deployContracts } from '../../../src/chain/deploy/deploy.ts'
import { makeReader, type Reader } from '../../../src/chain/deploy/deployer.ts'
import { roleId } from '../../../src/chain/deploy/role-ids.ts'
import {
  addressOf,
  type EmptyChain,
  KEYS,
  SETTINGS,
  startEmptyChain,
} from '../../fakes/chain/anvil.ts'
import { mined } from '../../fakes/chain/mined.ts'
import { makeWriter } from '../../fakes/chain/writer.ts'

/** Who rules what was deployed: the holders of the governance token, and nobody else. */
const Governance = suite('governance of what is deployed')

const TREASURY = KEYS.worker
const { terms } = SETTINGS
const MODEL = 'Qwen/Qwen3-8B'
const CAP = terms.settleCapPerHour / 2n
const FOR = 1

let chain: EmptyChain
let contracts: Contracts
let reader: Reader

Governance.before(async () => {
  chain = await startEmptyChain()
  reader = makeReader(chain.rpcUrl)
  contracts = await deployContracts({
    ...{ rpcUrl: chain.rpcUrl, deployerPrivateKey: KEYS.deployer },
    settings: { ...SETTINGS, treasury: addressOf(TREASURY), admin: 'timelock' },
    addressFile: join(chain.dir, 'contracts.json'),
  })
})

Governance.after(() => chain.stop())

/** Sends as `key`, and waits until it is included. */
async function send(key: Hex, to: Hex, data: Hex): Promise<void> {
  const writer = makeWriter(chain.rpcUrl, key)
  const hash = await writer.sendTransaction({ to, data, chain: null })
  await mined(reader, hash)
}

async function pass(seconds: bigint): Promise<void> {
  await chain.rpc.call('evm_increaseTime', [Number(seconds) + 1])
  await chain.rpc.call('evm_mine', [])
}

const statusOf = (id: string) =>
  reader.readContract({
    ...{ address: contracts.modelRegistry, abi: modelRegistryAbi },
    ...{ functionName: 'statusOf', args: [id] },
  })

const retire = () =>
  encodeFunctionData({ abi: modelRegistryAbi, functionName: 'retire', args: [MODEL] })
const lowerCap = () =>
  encodeFunctionData({ abi: jobEscrowAbi, functionName: 'setSettleCap', args: [CAP] })
const addSlasher = () =>
  encodeFunctionData({
    ...{ abi: workerStakingAbi, functionName: 'grantRole' },
    args: [roleId('SLASHER'), contracts.governor],
  })

Governance('nobody rules by a key: not the deployer, not the treasury', async () => {
  for (const key of [KEYS.deployer, TREASURY]) {
    for (const [to, data] of [
      [contracts.modelRegistry, retire()],
      [contracts.jobEscrow, lowerCap()],
      [contracts.workerStaking, addSlasher()],
    ] as const) {
      const refusal = await send(key, to, data).then(() => 'done', String)
      assert.match(refusal, /AccessControl|0xe2517d3f|reverted/)
    }
  }
  const LISTED = 1
  assert.is(await statusOf(MODEL), LISTED)
})

Governance('a vote rules all three: proposed, passed, queued, carried out by anyone', async () => {
  const { governor, rCompute, modelRegistry, jobEscrow, workerStaking } = contracts
  const targets = [modelRegistry, jobEscrow, workerStaking]
  const calls = [retire(), lowerCap(), addSlasher()]
  const why = 'Retire it, lower the cap, and let a second contract take stake'
  const proposal = [targets, [0n, 0n, 0n], calls] as const
  const hashed = [...proposal, keccak256(toBytes(why))] as const
  const abi = computeGovernorAbi

  const self = [addressOf(TREASURY)] as const
  await send(
    TREASURY,
    rCompute,
    encodeFunctionData({ abi: rComputeAbi, functionName: 'delegate', args: self }),
  )
  await pass(1n)
  const args = [...proposal, why] as const
  await send(TREASURY, governor, encodeFunctionData({ abi, functionName: 'propose', args }))
  const id = await reader.readContract({
    ...{ address: governor, abi, functionName: 'hashProposal', args: hashed },
  })
  await pass(terms.votingDelaySeconds)
  await send(
    TREASURY,
    governor,
    encodeFunctionData({ abi, functionName: 'castVote', args: [id, FOR] }),
  )
  await pass(terms.votingPeriodSeconds)
  // Anyone may do the rest.
  const stranger = KEYS.wallet
  await send(stranger, governor, encodeFunctionData({ abi, functionName: 'queue', args: hashed }))
  const execute = encodeFunctionData({ abi, functionName: 'execute', args: hashed })
  const early = await send(stranger, governor, execute).then(() => 'done', String)
  assert.match(early, /reverted|Timelock/, 'not before the timelock is over')
  await pass(terms.timelockSeconds)
  await send(stranger, governor, execute)

  const RETIRING = 2
  const RETIRED = 3
  assert.is(await statusOf(MODEL), RETIRING)
  const [cap] = await reader.readContract({
    ...{ address: jobEscrow, abi: jobEscrowAbi, functionName: 'settleCap' },
  })
  assert.is(cap, CAP)
  assert.ok(
    await reader.readContract({
      ...{ address: workerStaking, abi: workerStakingAbi, functionName: 'hasRole' },
      args: [roleId('SLASHER'), governor],
    }),
  )
  await pass(terms.noticeSeconds - 60n)
  assert.is(await statusOf(MODEL), RETIRING)
  await pass(60n)
  assert.is(await statusOf(MODEL), RETIRED)
})

Governance.run()
