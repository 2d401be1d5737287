import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createPublicClient, encodeFunctionData, numberToHex } from 'viem'
import { rComputeAbi, workerStakingAbi } from '../../../src/chain/abi.ts'
import { type ChainConnection, connectChain } from '../../../src/chain/connect.ts'
import { headFollowing } from '../../../src/chain/rpc/moving-head.ts'
import { outputHash } from '../../../src/domain/hash.ts'
import { type JobId, jobIdToBytes32 } from '../../../src/domain/ids.ts'
import { completionDigest, domainSeparator, sign } from '../../../src/domain/proof.ts'
import type { Hex } from '../../../src/ports/escrow.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import {
  addressOf,
  KEYS,
  keyBytes,
  type LocalChain,
  SETTINGS,
  startChain,
} from '../../fakes/chain/anvil.ts'
import { job } from '../../fakes/chain/intents.ts'
import { mined } from '../../fakes/chain/mined.ts'
import { makeOperatorCaller } from '../../fakes/chain/operator-caller.ts'
import { registrationOf } from '../../fakes/chain/signed-work.ts'
import { makeWriter } from '../../fakes/chain/writer.ts'

const Workers = suite('what the chain says of workers')
const WORKER = addressOf(KEYS.worker)
const PAYEE = addressOf(KEYS.wallet)
const STAKED = 1_005n * 10n ** 18n
let local: LocalChain
let chain: ChainConnection

Workers.before(async () => {
  local = await startChain(100n)
  const { rpcUrl, contracts } = local
  chain = await connectChain({ rpcUrl, contracts, log: makeLog('test', 'silent') })
})
Workers.after(async () => {
  await chain?.close()
  await local?.stop()
})

const by = (key: Hex) => makeWriter(local.rpcUrl, key)
const staking = () =>
  ({ address: local.contracts.workerStaking, abi: workerStakingAbi, chain: null }) as const
const rCompute = () =>
  ({ address: local.contracts.rCompute, abi: rComputeAbi, chain: null }) as const

/** @returns the number of its block */
async function included(sent: Promise<Hex>): Promise<number> {
  const client = createPublicClient({ transport: headFollowing(local.rpcUrl) })
  const { blockNumber } = await mined(client, await sent)
  return Number(blockNumber)
}

/** To the deployer, from the treasury, which the deployment gave all of them. */
async function giveTokens(): Promise<void> {
  const { rpc } = local
  const from = SETTINGS.treasury
  const args = [addressOf(KEYS.deployer), STAKED] as const
  const data = encodeFunctionData({ abi: rComputeAbi, functionName: 'transfer', args })
  await rpc.call('anvil_setBalance', [from, numberToHex(10n ** 18n)])
  await rpc.call('anvil_impersonateAccount', [from])
  const to = local.contracts.rCompute
  await included(rpc.call<Hex>('eth_sendTransaction', [{ from, to, data }]))
}

/** A completion of a job that the worker has signed, as the contract takes it. */
function signedAs(text: string, jobId = job(1)) {
  const { chainId, jobEscrow: contract } = local.contracts
  const completion = { outputHash: outputHash(text), outputTokens: 20, completedAt: 1_800_000_000 }
  const separator = domainSeparator({ name: 'JobEscrow', chainId, contract })
  const digest = completionDigest(separator, { jobId, ...completion })
  const { r, vs } = sign(digest, keyBytes(KEYS.worker))
  return { ...completion, r, vs }
}

Workers('a registration that would fail is told beforehand, by the contract’s word', async () => {
  const wish = registrationOf(local.contracts, PAYEE)
  assert.is(await chain.reader.registrationError(wish), undefined)
  assert.is(
    await chain.reader.registrationError({ ...wish, payee: WORKER }),
    'BadSignature',
    'signed for another payee',
  )
  await makeOperatorCaller(local).registerWorker(PAYEE)
  assert.is(await chain.reader.workerId(WORKER), 1)
  assert.is(await chain.reader.registrationError(wish), undefined, 'a repeat changes nothing')
  const other = registrationOf(local.contracts, WORKER)
  assert.is(await chain.reader.registrationError(other), 'AlreadyRegistered')
})

Workers('a slashing is a fact, with its amount, reason, job and time', async () => {
  const deployer = by(KEYS.deployer)
  const { workerStaking } = local.contracts
  await giveTokens()
  const approval = { functionName: 'approve', args: [workerStaking, STAKED] } as const
  await included(deployer.writeContract({ ...rCompute(), ...approval }))
  await included(deployer.writeContract({ ...staking(), functionName: 'stake', args: [1, STAKED] }))
  const args = [1, jobIdToBytes32(job(1)), signedAs('one'), signedAs('another')] as const
  const block = await included(
    deployer.writeContract({ ...staking(), functionName: 'slashEquivocation', args }),
  )
  const [fact, ...more] = await chain.reader.facts(block, block)
  assert.is(more.length, 0)
  assert.ok(fact?.type === 'worker_slashed')
  const { signer, amount, reason, relatedJobId, at } = fact
  assert.equal(
    { signer, amount, reason, relatedJobId },
    { signer: WORKER, amount: STAKED / 10n, reason: 'equivocation', relatedJobId: job(1) },
  )
  assert.ok(at > 1_600_000_000_000, 'the time of the block')
  assert.equal(await chain.reader.facts(block, block), [fact], 'the same when it is read again')
})

Workers('a slashing for what is no job of ours tells the bytes that were signed', async () => {
  // A worker can sign what it likes.
  const strange = 'no job of this network' as JobId
  const bytes = jobIdToBytes32(strange)
  const args = [1, bytes, signedAs('one', strange), signedAs('another', strange)] as const
  const block = await included(
    by(KEYS.deployer).writeContract({ ...staking(), functionName: 'slashEquivocation', args }),
  )
  const [fact] = await chain.reader.facts(block, block)
  assert.ok(fact?.type === 'worker_slashed')
  assert.is(fact.relatedJobId, bytes)
})

Workers(
  'a deactivated worker is found by its block, and could not be registered again',
  async () => {
    const before = (await chain.reader.head()).number
    const block = await included(
      by(KEYS.worker).writeContract({ ...staking(), functionName: 'deactivate', args: [1] }),
    )
    assert.equal(await chain.reader.deactivated(0, before), [])
    assert.equal(await chain.reader.deactivated(before, block), [WORKER])
    assert.is(await chain.reader.workerId(WORKER), undefined)
    const wish = registrationOf(local.contracts, PAYEE)
    assert.is(await chain.reader.registrationError(wish), 'Deactivated')
  },
)

Workers.run()
