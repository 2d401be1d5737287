import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createPublicClient, encodeFunctionData, type Hex } from 'viem'
import { devUsdgAbi, jobEscrowAbi, workerStakingAbi } from '../../../src/chain/abi.ts'
import { callOf } from '../../../src/chain/calldata.ts'
import { makeNetworkReader } from '../../../src/chain/read/network-reader.ts'
import { makeSolvencyReader } from '../../../src/chain/read/solvency.ts'
import { makeRpc } from '../../../src/chain/rpc/json-rpc.ts'
import { headFollowing } from '../../../src/chain/rpc/moving-head.ts'
import { creditsToUnits, toCredits } from '../../../src/domain/credits.ts'
import { toAddress, toHex32 } from '../../../src/domain/ids.ts'
import type { Batch } from '../../../src/ports/escrow.ts'
import type { ChainSolvency } from '../../../src/ports/network-chain.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { addressOf, KEYS, type LocalChain, startChain } from '../../fakes/chain/anvil.ts'
import { makeEscrowCaller } from '../../fakes/chain/escrow-caller.ts'
import { mined } from '../../fakes/chain/mined.ts'
import { registrationOf, settlementOf } from '../../fakes/chain/signed-work.ts'
import { makeWriter } from '../../fakes/chain/writer.ts'
import { jobAt, walletNumber } from '../../fakes/jobs/views.ts'

/** What the chain tells everybody of a network. */
const NetworkChain = suite('network on chain')

const WALLET = addressOf(KEYS.wallet)
const WORKER = addressOf(KEYS.worker)
const PAYEE = toAddress(`0x${'ee'.repeat(20)}`)
/** More than fit into one question. */
const WALLETS = 170
const EACH = 100n
const FIRST = 1_000n
const log = makeLog('test', process.env.TEST_LOG ?? 'silent')

let local: LocalChain

NetworkChain.before(async () => {
  local = await startChain(FIRST)
})
NetworkChain.after(() => local?.stop())

const reader = () => makeNetworkReader({ ...local, log })
const owed = ({ accounts, locks, earnings, treasury, disputed }: ChainSolvency): bigint =>
  creditsToUnits(accounts) + creditsToUnits(locks) + earnings + treasury + disputed

async function send(key: Hex, to: Hex, data: Hex): Promise<Hex> {
  const writer = makeWriter(local.rpcUrl, key)
  const hash = await writer.sendTransaction({ to, data, chain: null })
  await included(hash)
  return hash
}

async function included(hash: Hex): Promise<void> {
  const asking = createPublicClient({ transport: headFollowing(local.rpcUrl) })
  await mined(asking, hash)
}

const does = (key: Hex, batch: Batch): Promise<Hex> => {
  const { to, data } = callOf(batch, local.contracts)
  return send(key, to, data)
}

NetworkChain(
  'what the escrow owes is what it holds, through all that happens to money',
  async () => {
    const { contracts } = local
    const { usdg, jobEscrow } = contracts
    const read = makeSolvencyReader(local)
    const first = await read()
    assert.equal([first.accounts, first.locks, first.held], [FIRST, 0n, FIRST * 10_000n])

    const all = BigInt(WALLETS) * EACH * 10_000n
    const token = { abi: devUsdgAbi } as const
    const minted = [WALLET, all] as const
    await send(
      KEYS.wallet,
      usdg,
      encodeFunctionData({ ...token, functionName: 'mint', args: minted }),
    )
    const approved = [jobEscrow, all] as const
    const approval = { ...token, functionName: 'approve', args: approved } as const
    await send(KEYS.wallet, usdg, encodeFunctionData(approval))
    let last: Hex = '0x'
    for (let i = 0; i < WALLETS; i++) {
      const args = [walletNumber(10_000 + i), EACH] as const
      const data = encodeFunctionData({ abi: jobEscrowAbi, functionName: 'deposit', args })
      last = await local.rpc.call('eth_sendTransaction', [{ from: WALLET, to: jobEscrow, data }])
    }
    await included(last)
    const deposited = BigInt(WALLETS) * EACH + FIRST
    const rich = await read()
    assert.is(rich.accounts, deposited)
    assert.is(rich.held, deposited * 10_000n)

    await does(KEYS.lock, { type: 'register', items: [registrationOf(contracts, PAYEE)] })
    const [paid, running, contested] = [jobAt(1), jobAt(2), jobAt(3)]
    const locks = [paid, running, contested].map((jobId) => {
      const terms = { wallet: WALLET, credits: toCredits(20), tier: 'standard' } as const
      return { type: 'lock', jobId, ...terms, abandon: false } as const
    })
    await does(KEYS.lock, { type: 'lock', items: locks })
    const locked = await read()
    assert.equal([locked.accounts, locked.locks], [deposited - 60n, 60n])
    assert.is(owed(locked), locked.held)

    const settled = [paid, contested].map((jobId) => settlementOf(contracts, jobId))
    const tx = await does(KEYS.settle, { type: 'settle', items: settled })
    const other = toHex32(`0x${'cc'.repeat(32)}`)
    await makeEscrowCaller({ ...local, privateKey: KEYS.wallet }).openDispute(contested, other)
    const after = await read()
    assert.equal([after.accounts, after.locks], [deposited - 36n, 20n])
    // 8 credits each: three quarters to the worker, who has nothing at stake.
    assert.equal([after.earnings, after.treasury, after.disputed], [60_000n, 20_000n, 80_000n])
    assert.is(owed(after), after.held)

    const args = [jobEscrow, 7n] as const
    await send(KEYS.wallet, usdg, encodeFunctionData({ ...token, functionName: 'mint', args }))
    const given = await read()
    assert.is(given.held - owed(given), 7n, 'a gift is nobody’s')

    const inclusion = await reader().inclusion(toHex32(tx))
    const block = await local.rpc.call<{ timestamp: string }>('eth_getBlockByNumber', [
      `0x${inclusion!.block.toString(16)}`,
      false,
    ])
    assert.is(inclusion!.at, Number(block.timestamp) * 1_000)
    assert.is(await reader().inclusion(other), null)
  },
)

NetworkChain('a worker is paid to whom it says, until it has left', async () => {
  assert.is(await reader().payeeOf(PAYEE), undefined)
  assert.is(await reader().payeeOf(WORKER), PAYEE)
  const left = { abi: workerStakingAbi, functionName: 'deactivate', args: [1] } as const
  await send(KEYS.worker, local.contracts.workerStaking, encodeFunctionData(left))
  assert.is(await reader().payeeOf(WORKER), undefined)
})

NetworkChain('without a chain each of them says so', async () => {
  const rpc = makeRpc('http://127.0.0.1:1')
  const read = makeNetworkReader({ ...local, rpc, log })
  for (const asked of [read.solvency(), read.payeeOf(WORKER)]) {
    const failure = await asked.then(
      () => 'an answer',
      (error: Error) => error.constructor.name,
    )
    assert.is(failure, 'ChainUnavailable')
  }
  await rpc.close()
})

NetworkChain.run()
