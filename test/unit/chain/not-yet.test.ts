import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeEventTopics, numberToHex } from 'viem'
import { jobEscrowAbi } from '../../../src/chain/abi.ts'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { makeMovementReader } from '../../../src/chain/read/movements.ts'
import { makeNetworkReader } from '../../../src/chain/read/network-reader.ts'
import type { Rpc } from '../../../src/chain/rpc/json-rpc.ts'
import { toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'
import { makeLog } from '../../../src/telemetry/log.ts'

/** Nodes that know of something, and have its block not yet. */
const NotYet = suite('chain: not in a block yet')

const WALLET = toAddress(`0x${'aa'.repeat(20)}`)
const TX = toHex32(`0x${'11'.repeat(32)}`)
const contracts = { jobEscrow: toAddress(`0x${'e5'.repeat(20)}`), deployBlock: 1 } as Contracts

const answering = (answers: Readonly<Record<string, unknown>>): Rpc => ({
  call: async <Result>(method: string) => answers[method] as Result,
  close: async () => {},
})

NotYet(
  'a movement whose block the node that is asked for its time lacks: asked again later',
  async () => {
    const names = { wallet: WALLET, payer: WALLET }
    const topics = encodeEventTopics({ abi: jobEscrowAbi, eventName: 'Deposited', args: names })
    const log = { topics, data: `0x${'64'.padStart(64, '0')}`, transactionHash: TX }
    const rpc = answering({
      eth_blockNumber: numberToHex(9),
      eth_getLogs: [{ ...log, blockNumber: numberToHex(9), logIndex: numberToHex(0) }],
      eth_getBlockByNumber: null,
    })
    const page = makeMovementReader({ rpc, contracts })({ wallet: WALLET, limit: 5 })
    assert.instance(await page.catch((error: unknown) => error), ChainUnavailable)
  },
)

NotYet('a receipt of a transaction that is in no block is none', async () => {
  const rpc = answering({
    eth_getTransactionReceipt: { transactionHash: TX, blockNumber: null },
    eth_getBlockByNumber: { number: numberToHex(0), timestamp: numberToHex(5) },
  })
  const reader = makeNetworkReader({ rpc, contracts, log: makeLog('test', 'silent') })
  assert.is(await reader.inclusion(TX), null)
})

NotYet.run()
