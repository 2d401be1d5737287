import { createServer } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeFunctionData, encodeFunctionResult } from 'viem'
import { ABI_HASH, jobEscrowAbi } from '../../../src/chain/abi.ts'
import { connectChain } from '../../../src/chain/connect.ts'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { makeRpc } from '../../../src/chain/rpc/json-rpc.ts'
import { OperatorError } from '../../../src/domain/operator-error.ts'
import { priceOf } from '../../../src/domain/pricing.ts'
import { TIERS } from '../../../src/domain/tiers.ts'
import { ChainUnavailable, type Hex } from '../../../src/ports/escrow.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { freePort } from '../../integration/servers.ts'
import { until } from '../../until.ts'

const Chain = suite('chain: connection')
const ADDRESS = `0x${'ab'.repeat(20)}` as const
const CHAIN_ID = 31_337
const contracts = {
  ...{ chainId: CHAIN_ID, deployBlock: 0, abiHash: ABI_HASH },
  ...{ jobEscrow: ADDRESS, workerStaking: ADDRESS, usdg: ADDRESS, rCompute: ADDRESS },
  ...{ modelRegistry: ADDRESS, governor: ADDRESS, timelock: ADDRESS },
} as Contracts

function listen() {
  const lines: Record<string, unknown>[] = []
  const log = makeLog('test', 'info', { write: (line) => void lines.push(JSON.parse(line)) })
  return { log, lines, says: (words: string) => lines.filter(({ msg }) => msg === words) }
}

/** A node with the contracts, as far as a start looks at them. */
async function startNode(port: number, chainId: number | null) {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { id, method, params } = JSON.parse(body)
    const results: Readonly<Record<string, () => string | null>> = {
      eth_chainId: () => (chainId === null ? null : `0x${chainId.toString(16)}`),
      eth_getBlockByNumber: () => null,
      eth_getCode: () => '0x60',
      eth_call: () => price(params[0].data),
    }
    const result = results[method]?.()
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return () => {
    server.close()
    server.closeAllConnections()
  }
}

function price(data: Hex): Hex {
  const { args } = decodeFunctionData({ abi: jobEscrowAbi, data })
  const [tier, tokens] = args as readonly [number, number]
  const result = priceOf(TIERS[tier]!, tokens)
  return encodeFunctionResult({ abi: jobEscrowAbi, functionName: 'priceOf', result })
}

const refusal = (run: () => unknown): Error => {
  try {
    run()
  } catch (error) {
    return error as Error
  }
  return assert.unreachable('it is taken') as never
}

Chain('an address that is none is the operator\u2019s to put right, and is not repeated', () => {
  for (const url of ['ws://node.example.com/v2/secret', 'node.example.com:8545', 'secret', '']) {
    const error = refusal(() => makeRpc(url))
    assert.instance(error, OperatorError, url)
    assert.match(error.message, /^RPC_URL must begin with http:\/\/ or https:\/\/.*; set it to/)
    assert.not.match(error.message, /secret/)
  }
  assert.match(refusal(() => makeRpc('ws://node.example.com')).message, /, not ws:\/\/;/)
})

Chain('a node that is away is waited for, and said to be there', async () => {
  const port = await freePort()
  const { log, says } = listen()
  const chain = await connectChain({ rpcUrl: `http://127.0.0.1:${port}/v2/secret`, contracts, log })
  const [warning, ...more] = says('chain: the node does not answer, and is waited for')
  assert.equal(more, [])
  assert.equal([warning?.node, warning?.setting], [`127.0.0.1:${port}`, 'RPC_URL'])
  assert.not.match(JSON.stringify(warning), /secret/)
  const stop = await startNode(port, CHAIN_ID)
  await until('a word', () => says('chain: the node answers').length === 1)
  await chain.close()
  stop()
})

Chain('one that has neither chain nor block to tell yet is waited for', async () => {
  const port = await freePort()
  const heard = listen()
  const stopStarting = await startNode(port, null)
  const chain = await connectChain({
    ...{ rpcUrl: `http://127.0.0.1:${port}`, contracts, log: heard.log },
  })
  const WAITS = 'chain: the node does not answer, and is waited for'
  assert.is(heard.says(WAITS).length, 1)
  assert.instance(await chain.reader.head().catch((error: unknown) => error), ChainUnavailable)
  stopStarting()
  const stop = await startNode(port, CHAIN_ID)
  await until('it answers', () => heard.says('chain: the node answers').length === 1)
  await chain.close()
  stop()
})

Chain('one that comes later, and is of another chain, ends the process', async () => {
  const port = await freePort()
  const { log, says } = listen()
  const ended = new Promise<unknown>((resolve) => process.once('unhandledRejection', resolve))
  const chain = await connectChain({ rpcUrl: `http://127.0.0.1:${port}`, contracts, log })
  const stop = await startNode(port, CHAIN_ID + 1)
  const error = await ended
  assert.instance(error, OperatorError)
  assert.match((error as Error).message, /RPC_URL leads to chain 31338/)
  assert.equal(says('chain: the node answers'), [])
  await chain.close()
  stop()
})

Chain('at its start another chain, or contracts of another version, end it', async () => {
  const port = await freePort()
  const stop = await startNode(port, CHAIN_ID + 1)
  const { log } = listen()
  const rpcUrl = `http://127.0.0.1:${port}`
  for (const given of [contracts, { ...contracts, abiHash: 'other' }]) {
    const error = await connectChain({ rpcUrl, contracts: given, log }).catch((one: unknown) => one)
    assert.instance(error, OperatorError)
  }
  stop()
})

Chain.run()
