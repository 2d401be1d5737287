import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeMovementReader } from '../../../src/chain/read/movements.ts'
import { type Rpc, RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import type { ChainMovement, LogPlace } from '../../../src/ports/web-chain.ts'
import { addressOf, KEYS, type LocalChain, startChain } from '../../fakes/chain/anvil.ts'
import { makeWalletCaller, type WalletCaller } from '../../fakes/chain/wallet-caller.ts'

/** Purchases and withdrawals, read back from a chain whatever its node allows. */
const Movements = suite('web movements')

const WALLET = addressOf(KEYS.wallet)
const START = 1_000n

let local: LocalChain
let wallet: WalletCaller

Movements.before(async () => {
  local = await startChain(START)
  const { rpcUrl, contracts } = local
  wallet = makeWalletCaller({ rpcUrl, contracts, privateKey: KEYS.wallet })
  await wallet.deposit(150n)
  await mine(1_300)
  await wallet.withdraw(40n)
  await wallet.depositWithPermit(200n)
  await wallet.requestWithdrawal(60n)
  await local.rpc.call('evm_increaseTime', [600])
  await mine(1_300)
  await wallet.completeWithdrawal()
  // Somebody else's, which is none of this wallet's movements.
  await wallet.depositFor(addressOf(KEYS.worker), 100n)
})
/** In portions that a slow machine answers for in time. */
async function mine(blocks: number): Promise<void> {
  for (let mined = 0; mined < blocks; mined += 100) await local.rpc.call('anvil_mine', ['0x64'])
}

Movements.after(async () => {
  await local?.stop()
})

const EXPECTED = [
  ['withdrawal', 60n],
  ['purchase', 200n],
  ['withdrawal', 40n],
  ['purchase', 150n],
  ['purchase', START],
] as const

const summary = (movements: readonly ChainMovement[]) =>
  movements.map(({ type, credits }) => [type, credits])

/** Follows the pages to their end. */
async function readAll(rpc: Rpc, limit: number) {
  const read = makeMovementReader({ rpc, contracts: local.contracts })
  const found: ChainMovement[] = []
  let pages = 0
  let before: LogPlace | undefined
  for (;;) {
    const page = await read({ wallet: WALLET, limit, before })
    assert.ok(page.movements.length <= limit)
    found.push(...page.movements)
    pages++
    if (page.next === null) return { found, pages }
    before = page.next
    if (pages > 200) throw new Error('the pages have no end')
  }
}

Movements('newest first, each once, however many a page', async () => {
  for (const limit of [1, 2, 4, 5, 100]) {
    const { found } = await readAll(local.rpc, limit)
    assert.equal(summary(found), EXPECTED, `pages of ${limit}`)
  }
  const { found } = await readAll(local.rpc, 100)
  assert.ok(found.every(({ counterparty }) => counterparty === WALLET))
  assert.ok(found.every(({ tx, at }) => /^0x[0-9a-f]{64}$/.test(tx) && at > 0))
})

Movements('the same from a node that answers for few blocks and tells no times', async () => {
  const asked: number[] = []
  const narrow: Rpc = {
    ...local.rpc,
    call: async <Result>(method: string, params: readonly unknown[]) => {
      if (method !== 'eth_getLogs') return local.rpc.call<Result>(method, params)
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }]
      const blocks = Number(toBlock) - Number(fromBlock) + 1
      if (blocks > 150) throw new RpcError(method, -32_005, 'query exceeds max block range')
      asked.push(blocks)
      const logs = await local.rpc.call<{ blockTimestamp?: string }[]>(method, params)
      for (const log of logs) delete log.blockTimestamp
      return logs as Result
    },
  }
  const { found, pages } = await readAll(narrow, 100)
  assert.equal(summary(found), EXPECTED)
  const wide = await readAll(local.rpc, 100)
  assert.equal(found, wide.found, 'with the same times')
  assert.ok(pages > 1, 'a page looks back only so far')
  assert.ok(asked.length <= 12 * pages)
})

Movements('a wallet without any has none', async () => {
  const read = makeMovementReader({ rpc: local.rpc, contracts: local.contracts })
  const page = await read({ wallet: addressOf(KEYS.arbiter), limit: 10 })
  assert.equal(page, { movements: [], next: null })
})

Movements.run()
