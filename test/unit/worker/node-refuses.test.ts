import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createPublicClient, http } from 'viem'
import { ConfigError } from '../../../src/config/read.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { escrowAbi } from '../../../src/worker/chain/abi.ts'
import { Sender } from '../../../src/worker/chain/send.ts'
import { readWorkerFacts } from '../../../src/worker/chain/worker-facts.ts'

/** A node that stops answering, as a provider does whose customer has asked too much. */
const Node = suite('a node that refuses')

const SECRET = 'my-key-at-the-provider'
const ADDRESS = toAddress(`0x${'5'.repeat(40)}`)
const KEY = { address: ADDRESS, bytes: Buffer.alloc(32, 1) }

/** What it answers all the same. */
let answers: readonly string[] = []

const node = createServer(async (request, response) => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  const [{ id, method }] = JSON.parse(Buffer.concat(parts).toString())
  if (!answers.includes(method)) return response.writeHead(401).end('no')
  return response.end(JSON.stringify([{ id, jsonrpc: '2.0', result: '0x1' }]))
})
Node.before(() => new Promise<void>((resolve) => void node.listen(0, '127.0.0.1', resolve)))
Node.after(() => void node.close().closeAllConnections())

const claim = { address: ADDRESS, abi: escrowAbi, functionName: 'claim', args: [1] }

const chain = () => {
  const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}/v2/${SECRET}`
  const contracts = { chainId: 1, jobEscrow: ADDRESS, workerStaking: ADDRESS }
  return { client: createPublicClient({ transport: http(url, { batch: true }) }), contracts }
}

Node.after.each(() => {
  answers = []
})

Node('is said to, without its address: that has the key of whoever pays for it', async () => {
  for (const ask of [
    () => readWorkerFacts(chain(), ADDRESS),
    () => new Sender(chain(), KEY).stake(1, 1n),
    () => new Sender(chain(), KEY).send(claim),
  ]) {
    const error: unknown = await ask().catch((thrown: unknown) => thrown)
    assert.instance(error, ConfigError)
    assert.match((error as Error).message, /^the node of --rpc does not answer: /)
    assert.not.match(String((error as Error).stack), SECRET)
  }
})

Node('is no contract that does', async () => {
  answers = ['eth_getBalance']
  const error: unknown = await new Sender(chain(), KEY).send(claim).catch((thrown) => thrown)
  assert.instance(error, ConfigError)
  assert.match((error as Error).message, /^the node does not take claim: /)
})

Node.run()
