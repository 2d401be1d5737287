import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { fundGas, fundWallet } from '../../../src/chain/fund.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { type LocalChain, startChain } from '../../fakes/chain/anvil.ts'
import { type RpcBetween, startBetween } from '../../fakes/chain/rpc-between.ts'
import { SOON_MS, until } from '../../until.ts'

/** A node may show a block before the receipts in it, and where nobody else sends, no other block follows. */
const LateReceipt = suite('a receipt that is later than its block')
const RECEIPT = 'eth_getTransactionReceipt'

let chain: LocalChain
let node: RpcBetween

LateReceipt.before(async () => {
  chain = await startChain(1_000n)
  node = await startBetween(chain.rpcUrl)
})
LateReceipt.after(async () => {
  await node?.close()
  await chain?.stop()
})

LateReceipt('a wallet is funded all the same', async () => {
  const asked = new Map<unknown, number>()
  node.answer = async ({ method, params }, forward) => {
    if (method !== RECEIPT) return forward()
    const times = (asked.get(params[0]) ?? 0) + 1
    asked.set(params[0], times)
    return times <= 3 ? { result: null } : forward()
  }
  const walletPrivateKey = generatePrivateKey()
  await fundGas(chain.rpcUrl, [toAddress(privateKeyToAddress(walletPrivateKey))])
  const credits = toCredits(500n)
  let funded: unknown
  const { contracts } = chain
  fundWallet({ rpcUrl: node.url, contracts, walletPrivateKey, credits }).then(
    (reply) => {
      funded = reply
    },
    (error: unknown) => {
      funded = error
    },
  )
  await until('the wallet is funded', () => funded !== undefined, SOON_MS)
  assert.equal(funded, { funded: true, available: credits })
  assert.is(asked.size, 3, 'mint, approve, deposit')
})

LateReceipt.run()
