import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nameOf } from '../../../src/audit/books/difference.ts'
import { readMoney } from '../../../src/audit/books/read-chain.ts'
import { readOn } from '../../../src/audit/books/read-events.ts'
import { reasonOf } from '../../../src/audit/cannot-tell.ts'
import { compareCode } from '../../../src/audit/chain/code.ts'
import { type Chain, connectChain } from '../../../src/audit/chain/connect.ts'
import { KEYS, type LocalChain, startChain } from '../../fakes/chain/anvil.ts'
import { startBetween } from '../../fakes/chain/rpc-between.ts'
import { makeWalletCaller } from '../../fakes/chain/wallet-caller.ts'

/** What the auditor makes of a chain alone, and of who meddles with it. */
const Audit = suite('audit of a chain')

let local: LocalChain
let chain: Chain

/** By the chain's own node, or by another address of it. */
function connectBy(rpcUrl: string): Promise<Chain> {
  const { chainId, jobEscrow: escrow, deployBlock } = local.contracts
  return connectChain({ rpcUrl, chainId, escrow, deployBlock: BigInt(deployBlock) })
}

Audit.before(async () => {
  local = await startChain(10_000n)
  chain = await connectBy(local.rpcUrl)
})
Audit.after(() => local?.stop())

Audit(
  'tokens that came unasked are named, and nobody can make the books wrong by them',
  async () => {
    const { rpcUrl, contracts } = local
    const wallet = makeWalletCaller({ rpcUrl, contracts, privateKey: KEYS.wallet })
    await wallet.give(contracts.jobEscrow, 123n)
    const { tokens, differences } = await readMoney(chain)
    assert.equal(differences.map(nameOf), [])
    assert.is(tokens.unasked, 123n)
    assert.is(tokens.held, tokens.owed + 123n)
  },
)

Audit('a node that forgets a block at the next is read while blocks come', async () => {
  const first = (await chain.logs(chain.escrow))[0]?.blockNumber
  let readings = 0
  const busy: Chain = {
    ...chain,
    logs: async (address, topics, blocks) => {
      const found = await chain.logs(address, topics, blocks)
      // All events take so long that a block comes meanwhile, the latest ones do not.
      const isAll = address === chain.escrow && found.some((log) => log.blockNumber === first)
      if (isAll) await local.rpc.call('anvil_mine', ['0x40'])
      if (isAll) readings += 1
      return found
    },
  }
  const { differences, tokens } = await readMoney(busy)
  assert.equal(differences.map(nameOf), [])
  assert.is(tokens.unasked, 123n)
  assert.is(readings, 1)
})

Audit('what a reorg took of the events that were read is forgotten', async () => {
  const before = await readOn(chain)
  const elsewhere = { ...before, until: { ...before.until, hash: `0x${'0'.repeat(64)}` as const } }
  before.books.wallets.clear()
  const { books } = await readOn(chain, elsewhere)
  assert.is(books.wallets.size, 1)
})

Audit('the newest block is asked about again where another came in between', async () => {
  const between = await startBetween(local.rpcUrl)
  try {
    const { client } = await connectBy(between.url)
    let asked = 0
    between.answer = async (_, forward) => {
      if (++asked > 3) return forward()
      return { error: { code: -32_602, message: 'BlockOutOfRangeError: block height is 9' } }
    }
    assert.is(await client.getBalance({ address: chain.escrow }), 0n)
    assert.is(asked, 4)
  } finally {
    await between.close()
  }
})

Audit('the reason of a failure is what the node said', async () => {
  const refusal = await chain.client
    .request({ method: 'eth_getBalance', params: [chain.escrow, '0xffffff'] })
    .catch((error: unknown) => error)
  assert.match(reasonOf(refusal), /^BlockOutOfRangeError/)
})

Audit('the code on chain is the build here, whatever it was made with', async () => {
  assert.equal(await compareCode(chain), { type: 'same', names: ['JobEscrow', 'WorkerStaking'] })
})

Audit('one byte of other code is found', async () => {
  const { jobEscrow } = local.contracts
  const code = await local.rpc.call<string>('eth_getCode', [jobEscrow, 'latest'])
  // In the first instructions, where no immutable is.
  await local.rpc.call('anvil_setCode', [jobEscrow, `0x6081${code.slice(6)}`])
  assert.equal(await compareCode(chain), { type: 'other', name: 'JobEscrow', address: jobEscrow })
  await local.rpc.call('anvil_setCode', [jobEscrow, code])
})

Audit.run()
