import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { LOOPBACK } from '../ports.ts'

/**
 * The block that the development chain begins from, and the nothing that is before it, as a node that
 * anvil forks. A fork of anvil makes no state root; a chain of its own makes it of all that was ever
 * stored, at every block, so that each job made every later block slower
 * (`src/docs/decisions/46-the-development-chain-is-a-fork.md`).
 */

interface Question {
  readonly id: unknown
  readonly method: string
}

const HASH_OF_NOTHING = `0x${'0'.repeat(64)}`
const NO_TRANSACTIONS = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const NO_UNCLES = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'
const GWEI = '0x3b9aca00'

/** anvil sets its clock by this block whenever it starts, so its time is that of the question. */
const firstBlock = () => ({
  number: '0x0',
  hash: `0x${'1'.repeat(64)}`,
  parentHash: HASH_OF_NOTHING,
  timestamp: `0x${Math.floor(Date.now() / 1_000).toString(16)}`,
  gasLimit: '0x1c9c380',
  gasUsed: '0x0',
  baseFeePerGas: GWEI,
  blobGasUsed: '0x0',
  excessBlobGas: '0x0',
  difficulty: '0x0',
  totalDifficulty: '0x0',
  miner: `0x${'0'.repeat(40)}`,
  nonce: '0x0000000000000000',
  mixHash: HASH_OF_NOTHING,
  stateRoot: HASH_OF_NOTHING,
  parentBeaconBlockRoot: HASH_OF_NOTHING,
  transactionsRoot: NO_TRANSACTIONS,
  receiptsRoot: NO_TRANSACTIONS,
  withdrawalsRoot: NO_TRANSACTIONS,
  sha3Uncles: NO_UNCLES,
  logsBloom: `0x${'0'.repeat(512)}`,
  extraData: '0x',
  size: '0x0',
  transactions: [],
  uncles: [],
  withdrawals: [],
})

const ANSWERS: Readonly<Record<string, () => unknown>> = {
  eth_blockNumber: () => '0x0',
  eth_getBlockByNumber: firstBlock,
  eth_gasPrice: () => GWEI,
  eth_getAccountInfo: () => ({ balance: '0x0', nonce: '0x0', code: '0x' }),
  eth_getBalance: () => '0x0',
  eth_getTransactionCount: () => '0x0',
  eth_getCode: () => '0x',
  eth_getStorageAt: () => HASH_OF_NOTHING,
  eth_getLogs: () => [],
  // Asked for hashes that anvil does not know.
  eth_getBlockByHash: () => null,
  eth_getTransactionByHash: () => null,
  eth_getTransactionReceipt: () => null,
}

const METHOD_NOT_FOUND = -32_601

function answer({ id, method }: Question) {
  const result = Object.hasOwn(ANSWERS, method) ? ANSWERS[method] : undefined
  if (result) return { jsonrpc: '2.0', id, result: result() }
  const message = `${method} asks for more than the beginning of the development chain has`
  return { jsonrpc: '2.0', id, error: { code: METHOD_NOT_FOUND, message } }
}

/** Serves it on a free port for as long as this process lives. @returns its URL */
export async function serveGenesis(): Promise<string> {
  const server = createServer(async (request, response) => {
    const question = await json(request).catch(() => undefined)
    if (!question) return response.writeHead(400).end()
    response.writeHead(200, { 'content-type': 'application/json' })
    return response.end(JSON.stringify(answer(question as Question)))
  })
  server.unref()
  await once(server.listen(0, LOOPBACK), 'listening')
  return `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`
}
