import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createPublicClient, numberToHex } from 'viem'
import { registerData } from '../../../src/chain/calldata.ts'
import { headFollowing } from '../../../src/chain/rpc/moving-head.ts'
import { type Address, toAddress } from '../../../src/domain/ids.ts'
import {
  domainSeparator,
  privateKeyAddress,
  registrationDigest,
  sign,
} from '../../../src/domain/proof.ts'
import { readWorkersPaidTo } from '../../../src/web/app/chain/own-workers.ts'
import { KEYS, type LocalChain, startChain } from '../../fakes/chain/anvil.ts'
import { mined } from '../../fakes/chain/mined.ts'
import { type RpcBetween, startBetween } from '../../fakes/chain/rpc-between.ts'
import { makeWriter } from '../../fakes/chain/writer.ts'
import { makeFakeHouse } from '../../fakes/web/fake-house.ts'

/** What the owner of many workers is shown of them, read from a real chain. */
const OwnWorkers = suite('workers of one owner')

const OWNER = toAddress(`0x${'e1'.repeat(20)}`)
const OTHER = toAddress(`0x${'e2'.repeat(20)}`)
/** More than are asked for in one call, and than an owner was once thought to have. */
const OWNED = 70
/** Of logs, as public nodes give to whoever does not pay them. */
const LOG_BLOCKS_MAX = 100
/** More than a page reads through in pieces of that size. */
const BLOCKS = 1_000

let local: LocalChain
let node: RpcBetween

OwnWorkers.before(async () => {
  local = await startChain(1_000n)
  node = await startBetween(local.rpcUrl)
  node.answer = async ({ method, params }, forward) => {
    if (method !== 'eth_getLogs') return forward()
    const { fromBlock, toBlock } = params[0] as Record<string, string>
    if (Number(toBlock) - Number(fromBlock) < LOG_BLOCKS_MAX) return forward()
    return { error: { code: -32_005, message: 'query exceeds the range of blocks' } }
  }
})
OwnWorkers.after(async () => {
  await node?.close()
  await local?.stop()
})

OwnWorkers('all are found, however many and however long ago they registered', async () => {
  await register(Array.from({ length: OWNED }, (_, i) => [i + 1, i === 3 ? OTHER : OWNER]))
  await local.rpc.call('anvil_mine', [numberToHex(BLOCKS)])
  await register([[OWNED + 1, OWNER]])

  const found = await readWorkersPaidTo(web(), OWNER)
  assert.is(found.length, OWNED)
  assert.equal(
    found.map(({ id }) => id),
    Array.from({ length: OWNED + 1 }, (_, i) => i + 1).filter((id) => id !== 4),
  )
  const [first] = found
  assert.is(first?.signer, privateKeyAddress(keyOf(1)))
  assert.is(first?.payee, OWNER)
  assert.is(first?.earnedUnits, 0n)
  assert.is(first?.hasLeft, false)
  assert.equal(await readWorkersPaidTo(web(), toAddress(`0x${'e3'.repeat(20)}`)), [])
})

function web() {
  const { config } = makeFakeHouse(node.url, 0)
  const { jobEscrow, workerStaking, deployBlock } = local.contracts
  const contracts = { job_escrow: jobEscrow, worker_staking: workerStaking }
  return {
    ...config,
    contracts: { ...config.contracts, ...contracts, deploy_block: deployBlock },
  }
}

const keyOf = (number: number): Buffer => Buffer.alloc(32, number)

/** One after the other: they are numbered in this order. */
async function register(wanted: readonly (readonly [number, Address])[]): Promise<void> {
  const { chainId, workerStaking: contract } = local.contracts
  const separator = domainSeparator({ name: 'WorkerStaking', chainId, contract })
  const writer = makeWriter(local.rpcUrl, KEYS.lock)
  const asking = createPublicClient({ transport: headFollowing(local.rpcUrl) })
  for (const [number, payee] of wanted) {
    const signer = privateKeyAddress(keyOf(number))
    const signature = sign(registrationDigest(separator, signer, payee), keyOf(number))
    const data = registerData({ signer, payee, signature })
    const hash = await writer.sendTransaction({ to: contract, data, chain: null })
    await mined(asking, hash)
  }
}

OwnWorkers.run()
