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

/** From the treasury, which has them all; anvil signs in its name, and mines a moment later. */
async function transfer(to: Hex, amount: bigint): Promise<void> {
  const from = SETTINGS.treasury
  const data = encodeFunctionData({
    abi: rComputeAbi,
    functionName: 'transfer',
    args: [to, amount],
  })
  const { rpc, contracts } = local
  // As much as it may take: the node's own estimate is of a second that may have ended by then.
  const gas = numberToHex(300_000)
  const hash = await rpc.call('eth_sendTransaction', [{ from, to: contracts.rCompute, data, gas }])
  while (!(await rpc.call('eth_getTransactionReceipt', [hash]))) await pause(10)
}

async function openSender(): Promise<Sender> {
  const settings = { WORKER_RPC_URL: between.url } as Settings
  const chain = await openChain(settings, local.contracts)
  return new Sender(chain, keyOf(keyBytes(KEYS.worker)))
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
  const sender = await openSender()
  await sender.stake(1, STAKE)
  assert.is(await makeStakeCaller(local).stakeOf(1), STAKE)
})

Gas('a stake that the node has taken is one, though its word of that is lost', async () => {
  between.answer = (_, forward) => forward()
  const sender = await openSender()
  await transfer(WORKER, STAKE)
  const before = await makeStakeCaller(local).stakeOf(1)
  between.answer = async ({ method }, forward) => {
    const answer = await forward()
    const isSent = method === 'eth_sendRawTransaction'
    return isSent ? { error: { code: -32_000, message: 'already known' } } : answer
  }
  await sender.stake(1, STAKE)
  assert.is(await makeStakeCaller(local).stakeOf(1), before + STAKE)
})

Gas.run()
