import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  deploylessCallViaBytecodeBytecode as deployless,
  encodeFunctionResult,
  type Hex,
  multicall3Abi,
  numberToHex,
} from 'viem'
import { workerStakingAbi as abi } from '../../../../src/chain/abi.ts'
import { idOfOneThatLeft } from '../../../../src/web/app/chain/every-worker.ts'
import { makeFakeHouse } from '../../../fakes/web/fake-house.ts'

/** Whoever has left is paid what is left by its number, which the contract does not give for its key. */
const Left = suite('web app: a worker that has left')

const COUNT = 130
const LEFT = 5
/** Months of blocks: a page reads no logs so far back. */
const HEAD = 10_000_000

const { config } = makeFakeHouse('http://left-worker.test', 0)
const web = { ...config, contracts: { ...config.contracts, deploy_block: 0 } }
const signerOf = (id: number): Address => numberToHex(id, { size: 20 })

function ofStaking(data: Hex): Hex {
  const { functionName, args } = decodeFunctionData({ abi, data })
  if (functionName === 'workerCount') {
    return encodeFunctionResult({ abi, functionName, result: COUNT })
  }
  const id = Number(args?.[0])
  const signer = signerOf(id)
  const paid = { payee: signer, active: 0n, unbonding: 0n, withdrawableAt: 0 }
  const result = { signer, deactivated: id === LEFT, ...paid }
  return encodeFunctionResult({ abi, functionName: 'workers', result })
}

function ofMany(data: Hex): Hex {
  const types = [{ type: 'bytes' }, { type: 'bytes' }] as const
  const [, call] = decodeAbiParameters(types, `0x${data.slice(deployless.length)}`)
  const { args } = decodeFunctionData({ abi: multicall3Abi, data: call })
  const calls = args?.[0] as readonly { readonly callData: Hex }[]
  const result = calls.map(({ callData }) => ({ success: true, returnData: ofStaking(callData) }))
  return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result })
}

interface RpcCall {
  readonly id: number
  readonly method: string
  readonly params?: readonly [{ readonly data: Hex }]
}

function resultOf({ method, params }: RpcCall): unknown {
  if (method === 'eth_blockNumber') return numberToHex(HEAD)
  if (method === 'eth_getLogs' || !params) return []
  const [{ data }] = params
  return data.startsWith(deployless) ? ofMany(data) : ofStaking(data)
}

const { fetch } = globalThis
Left.before(() => {
  const answerTo = (call: RpcCall) => ({ id: call.id, jsonrpc: '2.0', result: resultOf(call) })
  globalThis.fetch = async (_url, init) => {
    const asked = JSON.parse(String(init?.body)) as RpcCall | RpcCall[]
    return Response.json(Array.isArray(asked) ? asked.map(answerTo) : answerTo(asked))
  }
})
Left.after(() => {
  globalThis.fetch = fetch
})

Left('is found however long ago it registered', async () => {
  assert.is(await idOfOneThatLeft(web, signerOf(LEFT)), LEFT)
})

Left('is not whoever is still there, nor whoever never was', async () => {
  assert.is(await idOfOneThatLeft(web, signerOf(LEFT + 1)), 0)
  assert.is(await idOfOneThatLeft(web, signerOf(COUNT + 1)), 0)
})

Left.run()
