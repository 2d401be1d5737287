import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeFunctionData, type Hex, numberToHex, parseUnits } from 'viem'
import { rComputeAbi } from '../../../src/chain/abi.ts'
import { openChain } from '../../../src/worker/chain/chain.ts'
import { Sender } from '../../../src/worker/chain/send.ts'
import type { Settings } from '../../../src/worker/cli/settings.ts'
import { keyOf } from '../../../src/worker/key/open-key.ts'
import {
  addressOf,
  KEYS,
  keyBytes,
  type LocalChain,
  SETTINGS,
  startChain,
} from '../../fakes/chain/anvil.ts'
import { makeOperatorCaller } from '../../fakes/chain/operator-caller.ts'
import { type RpcBetween, startBetween } from '../../fakes/chain/rpc-between.ts'
import { makeStakeCaller } from '../../fakes/chain/stake-caller.ts'
import { makeWriter } from '../../fakes/chain/writer.ts'
import { pause } from '../../until.ts'

const Gas = suite('worker: the gas of a stake')
const WORKER = addressOf(KEYS.worker)
const STAKE = parseUnits('1000', 18)
let local: LocalChain
let between: RpcBetween

Gas.before(async () => {
  local = await startChain(100n)
  between = await startBetween(local.rpcUrl)
})
Gas.after(async () => {
  await between?.close()
  await local?.stop()
})

/** From the treasury, which has them all; anvil signs in its name, and mines at once. */
async function transfer(to: Hex, amount: bigint): Promise<void> {
  const from = SETTINGS.treasury
  const data = encodeFunctionData({
    abi: rComputeAbi,
    functionName: 'transfer',
    args: [to, amount],
  })
  await local.rpc.call('eth_sendTransaction', [{ from, to: local.contracts.rCompute, data }])
}

Gas('a second that ends between estimate and block does not fail it', async () => {
  const { rpc, contracts } = local
  await rpc.call('anvil_setBalance', [SETTINGS.treasury, numberToHex(10n ** 18n)])
  await rpc.call('anvil_impersonateAccount', [SETTINGS.treasury])
  await makeOperatorCaller(local).registerWorker(addressOf(KEYS.wallet))
  await transfer(WORKER, STAKE)
  await makeWriter(local.rpcUrl, KEYS.worker).writeContract({
    ...{ address: contracts.rCompute, abi: rComputeAbi, chain: null },
    ...{ functionName: 'delegate', args: [WORKER] },
  })

  // Its votes change a moment before the estimate, and the transaction comes into a later second.
  between.answer = async ({ method }, forward) => {
    if (method === 'eth_estimateGas') {
      await pause(1_000 - (Date.now() % 1_000))
      await transfer(WORKER, 1n)
    }
    if (method === 'eth_sendRawTransaction') await pause(1_100)
    return forward()
  }
  const settings = { WORKER_RPC_URL: between.url } as Settings
  const sender = new Sender(
    await openChain(settings, contracts),
    settings,
    keyOf(keyBytes(KEYS.worker)),
  )
  await sender.stake(1, STAKE)
  assert.is(await makeStakeCaller(local).stakeOf(1), STAKE)
})

Gas.run()
