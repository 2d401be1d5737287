import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nameOf } from '../../src/audit/books/difference.ts'
import { readMoney } from '../../src/audit/books/read-chain.ts'
import { compareCode } from '../../src/audit/chain/code.ts'
import { type Chain, connectChain } from '../../src/audit/chain/connect.ts'
import { KEYS, type LocalChain, startChain } from '../fakes/chain/anvil.ts'
import { makeWalletCaller } from '../fakes/chain/wallet-caller.ts'

/** What the auditor makes of a chain alone, and of who meddles with it. */
const Audit = suite('audit of a chain')

let local: LocalChain
let chain: Chain

Audit.before(async () => {
  local = await startChain(10_000n)
  const { rpcUrl, contracts } = local
  const { chainId, jobEscrow: escrow, deployBlock } = contracts
  chain = await connectChain({ rpcUrl, chainId, escrow, deployBlock: BigInt(deployBlock) })
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
