import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeFunctionData, numberToHex } from 'viem'
import { readChain } from '../../../src/audit/books/read-chain.ts'
import { CannotTell } from '../../../src/audit/cannot-tell.ts'
import { escrowCalls, jobKey } from '../../../src/audit/chain/abi.ts'
import { type Chain, connectChain, readWhole } from '../../../src/audit/chain/connect.ts'
import { signedProof } from '../../../src/audit/verify/read-calldata.ts'
import { startBetween } from '../../fakes/chain/rpc-between.ts'

/** What the auditor makes of a node's answers, and what it says where there are none. */
const Node = suite('audit: the node')

const ESCROW = `0x${'e5'.repeat(20)}` as const
const HASH = `0x${'11'.repeat(32)}` as const

/** By a node that answers these methods, and refuses all others. */
async function by(answers: Record<string, unknown>, run: (chain: Chain) => Promise<void>) {
  const node = await startBetween('nobody')
  node.answer = async ({ method }) => {
    const result = { eth_chainId: '0x1', eth_getCode: '0x60', ...answers }[method]
    return result === undefined ? { error: { code: -32_000, message: 'cut off' } } : { result }
  }
  const rpcUrl = `${node.url}/v3/KEY`
  try {
    await run(await connectChain({ rpcUrl, chainId: 1, escrow: ESCROW, deployBlock: 0n }))
  } finally {
    await node.close()
  }
}

Node('a node that stops to answer: said in one line, without its key', () =>
  by({}, async (chain) => {
    const error: unknown = await readWhole(chain, () => readChain(chain)).catch((e: unknown) => e)
    assert.instance(error, CannotTell)
    const said = (error as Error).message
    assert.match(said, /^the node at 127\.0\.0\.1:\d+ did not answer everything: cut off$/)
  }),
)

Node('what cannot be told for another reason is said as it is', () =>
  by({}, async (chain) => {
    const cause = new Error('Unexpected end of JSON input')
    const why = new CannotTell('the build cannot be read: remove it', { cause })
    const read = readWhole(chain, () => Promise.reject(why))
    assert.is(await read.catch((error: unknown) => error), why)
  }),
)

for (const [name, r, vs] of [
  ['zeros', '00', '00'],
  ['more than the curve has', 'ff', 'ff'],
  ['no point of it', `${'00'.repeat(31)}05`, '01'],
] as const) {
  Node(`a settlement with a signature of ${name}: signed by nobody`, () => {
    const jobId = jobKey('job_1')!
    const word = (text: string) => `0x${text.repeat(64 / text.length)}` as const
    const item = { jobId, outputHash: HASH, workerId: 1, outputTokens: 5, completedAt: 1 }
    const args = [[{ ...item, r: word(r), vs: word(vs) }]] as const
    const input = encodeFunctionData({ abi: escrowCalls, functionName: 'settleBatch', args })
    const transaction = {
      ...{ hash: HASH, from: ESCROW, to: ESCROW, input, value: '0x0', gas: '0x1', nonce: '0x0' },
      ...{ blockHash: HASH, blockNumber: numberToHex(1), transactionIndex: '0x0', type: '0x0' },
      ...{ gasPrice: '0x1', chainId: '0x1', v: '0x1b', r: HASH, s: HASH },
    }
    return by({ eth_getTransactionByHash: transaction }, async (chain) => {
      const proof = await signedProof(chain, HASH, jobId)
      assert.equal([proof?.workerId, proof?.signer], [1, null])
    })
  })
}

Node.run()
