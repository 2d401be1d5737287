import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Hex, parseAbi } from 'viem'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { checkDeployment } from '../../../src/chain/deploy/check.ts'
import { deployContracts } from '../../../src/chain/deploy/deploy.ts'
import { makeReader } from '../../../src/chain/deploy/deployer.ts'
import { roleId } from '../../../src/chain/deploy/role-ids.ts'
import type { Settings } from '../../../src/chain/deploy/settings.ts'
import { readArtifact } from '../../../src/contracts/build.ts'
import {
  addressOf,
  type EmptyChain,
  KEYS,
  SETTINGS,
  startEmptyChain,
} from '../../fakes/chain/anvil.ts'
import { mined } from '../../fakes/chain/mined.ts'
import { type RpcBetween, startBetween } from '../../fakes/chain/rpc-between.ts'
import { makeWriter } from '../../fakes/chain/writer.ts'

/** What is on chain is compared with the build and with what was asked for. */
const Verify = suite('deployment: verification')

let chain: EmptyChain
let between: RpcBetween
let contracts: Contracts

Verify.before(async () => {
  chain = await startEmptyChain()
  between = await startBetween(chain.rpcUrl)
  contracts = await deployContracts({
    ...{ rpcUrl: chain.rpcUrl, deployerPrivateKey: KEYS.deployer, settings: SETTINGS },
    addressFile: join(chain.dir, 'contracts.json'),
  })
})

Verify.before.each(() => {
  between.answer = (_, forward) => forward()
})

Verify.after(async () => {
  await between.close()
  await chain.stop()
})

async function differences(settings: Settings = SETTINGS): Promise<readonly string[]> {
  const { chainId, deployBlock } = contracts
  const findings = await checkDeployment({
    ...{ reader: makeReader(between.url), at: contracts, settings, chainId, deployBlock },
  })
  return findings
    .filter(({ holds }) => !holds)
    .map(({ what, asked, found }) => `${what}: asked ${asked}, found ${found}`)
}

/** Lets one contract be seen with other code. */
function showCode(address: Hex, change: (code: Buffer) => Buffer): void {
  between.answer = async ({ method, params }, forward) => {
    const answer = await forward()
    if (method !== 'eth_getCode' || params[0] !== address) return answer
    const code = Buffer.from(String(answer.result).slice(2), 'hex')
    return { result: `0x${change(code).toString('hex')}` }
  }
}

Verify('finds nothing where all is as asked', async () => {
  assert.equal(await differences(), [])
})

Verify('finds one changed byte of any contract', async () => {
  for (const address of [contracts.jobEscrow, contracts.timelock, contracts.modelRegistry]) {
    showCode(address, (code) => {
      code[40]! ^= 1
      return code
    })
    const found = await differences()
    assert.is(found.length, 1)
    assert.match(
      found[0]!,
      /^(JobEscrow|TimelockController|ModelRegistry): code: .*found different/,
    )
  }
})

Verify('finds that there is no code', async () => {
  showCode(contracts.workerStaking, () => Buffer.alloc(0))
  assert.equal(await differences(), ['WorkerStaking: code: asked equal, found no code'])
})

Verify('finds a wrong immutable, by name where a function tells it', async () => {
  const treasury = addressOf(KEYS.worker)
  const found = await differences({ ...SETTINGS, treasury })
  assert.is(found.length, 2)
  assert.match(found[0]!, /JobEscrow: values in the code: .*found also 0x0{24}7{40}/)
  assert.is(found[1], `JobEscrow.TREASURY: asked ${treasury}, found ${SETTINGS.treasury}`)
})

Verify('finds a wrong immutable that no function tells', async () => {
  const { immutables } = await readArtifact('JobEscrow')
  const code = await makeReader(chain.rpcUrl).getCode({ address: contracts.jobEscrow })
  // The domain under which signatures count is a hash like none of the addresses and numbers.
  const isHash = (start: number) =>
    !/^0{8}|0{8}$/.test(code!.slice(2 + start * 2, 2 + (start + 32) * 2))
  const hashes = immutables.filter(([first]) => isHash(first!.start))
  assert.ok(hashes.length >= 3)
  for (const [first] of hashes) {
    showCode(contracts.jobEscrow, (bytes) => {
      bytes[first!.start]! ^= 1
      return bytes
    })
    const found = await differences()
    assert.is(found.length, 1)
    assert.match(found[0]!, /^JobEscrow: values in the code/)
  }
})

Verify('finds other windows, votes and models than were asked for', async () => {
  const terms = { ...SETTINGS.terms, thawSeconds: 301n, quorumPercent: 5n, computeSupply: 7n }
  const names = (await differences({ ...SETTINGS, terms })).map((line) => line.split(':')[0])
  assert.equal(names, [
    'JobEscrow',
    'JobEscrow.THAW_SECONDS',
    'ComputeGovernor.quorumNumerator',
    'RCompute.totalSupply, at most',
  ])
})

Verify('tells the cap of an hour that the admin has set since', async () => {
  const { chainId, deployBlock } = contracts
  const admin = makeWriter(chain.rpcUrl, KEYS.deployer)
  const snapshot = await chain.rpc.call('evm_snapshot', [])
  const cap = SETTINGS.terms.settleCapPerHour / 2n
  const sent = await admin.writeContract({
    ...{ address: contracts.jobEscrow, chain: null, functionName: 'setSettleCap' },
    abi: parseAbi(['function setSettleCap(uint64 creditsPerHour)']),
    args: [cap],
  })
  await mined(makeReader(chain.rpcUrl), sent)
  const findings = await checkDeployment({
    ...{ reader: makeReader(between.url), at: contracts, settings: SETTINGS, chainId, deployBlock },
  })
  await chain.rpc.call('evm_revert', [snapshot])
  const told = findings.find(({ what }) => what.startsWith('JobEscrow.settleCap'))
  // Lower than at first is what a good admin makes it.
  assert.equal([told?.found, told?.holds], [`${cap}`, true])
})

Verify('finds whoever holds a role and should not, and a holder that is not there', async () => {
  const stranger = addressOf(KEYS.worker)
  const writer = makeWriter(chain.rpcUrl, KEYS.deployer)
  const snapshot = await chain.rpc.call('evm_snapshot', [])
  const sent = await writer.writeContract({
    ...{ address: contracts.jobEscrow, chain: null, functionName: 'grantRole' },
    abi: parseAbi(['function grantRole(bytes32 role, address account)']),
    args: [roleId('SETTLER'), stranger],
  })
  await mined(makeReader(chain.rpcUrl), sent)
  const both = [SETTINGS.settler, stranger].sort().join(', ')
  assert.equal(await differences(), [
    `JobEscrow: who is SETTLER: asked ${SETTINGS.settler}, found ${both}`,
  ])
  await chain.rpc.call('evm_revert', [snapshot])
  assert.equal(await differences(), [])
  assert.equal(await differences({ ...SETTINGS, pauser: stranger }), [
    `JobEscrow: who is PAUSER: asked ${stranger}, found ${SETTINGS.pauser}`,
  ])
})

Verify('reads on where a node answers short spans only', async () => {
  let refused = 0
  between.answer = async ({ method, params }, forward) => {
    if (method !== 'eth_getLogs') return forward()
    const { fromBlock, toBlock } = params[0] as { fromBlock: Hex; toBlock: Hex }
    if (Number(toBlock) - Number(fromBlock) < 5) return forward()
    refused++
    return { error: { code: -32_000, message: 'query exceeds the most blocks' } }
  }
  assert.equal(await differences(), [])
  assert.ok(refused > 0)
})

Verify.run()
