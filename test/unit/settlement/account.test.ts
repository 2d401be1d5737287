import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeAbiParameters, numberToHex, padHex } from 'viem'
import { readAccount } from '../../../src/chain/read/account.ts'
import type { Rpc } from '../../../src/chain/rpc/json-rpc.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { ChainFact } from '../../../src/ports/escrow.ts'
import { job, WALLET } from '../../fakes/chain/intents.ts'

const OTHER = toAddress(`0x${'bb'.repeat(20)}`)
const HASH = toHex32(`0x${'11'.repeat(32)}`)
const at = { tx: HASH, block: 11, blockHash: HASH, logIndex: 0 }
const credits = toCredits(40)
const contracts = {
  chainId: 31_337,
  jobEscrow: toAddress(`0x${'e5'.repeat(20)}`),
  workerStaking: toAddress(`0x${'57'.repeat(20)}`),
  usdg: toAddress(`0x${'05'.repeat(20)}`),
  rCompute: toAddress(`0x${'0c'.repeat(20)}`),
  modelRegistry: toAddress(`0x${'0d'.repeat(20)}`),
  governor: toAddress(`0x${'0e'.repeat(20)}`),
  timelock: toAddress(`0x${'0f'.repeat(20)}`),
  deployBlock: 1,
  abiHash: '',
}

type Read = readonly [block: number, available: bigint, locked?: bigint]

/** Reads an account whose node says one thing after the other, the last one from then on. */
async function read(says: readonly [Read, ...Read[]], facts: readonly ChainFact[]) {
  let asked = 0 // for the block: before and after each read of the account
  const now = () => says[Math.min(Math.floor(asked / 2), says.length - 1)]!
  const accounts = [{ type: 'uint64' }, { type: 'uint64' }, { type: 'uint64' }, { type: 'uint40' }]
  const call = async (method: string): Promise<unknown> => {
    const [block, available, locked = 0n] = now()
    if (method === 'eth_call') return encodeAbiParameters(accounts, [available, locked, 0n, 0])
    asked++
    return { number: numberToHex(block), hash: padHex(numberToHex(block), { size: 32 }) }
  }
  const rpc: Rpc = {
    call: <Result>(method: string) => call(method) as Promise<Result>,
    close: async () => {},
  }
  const account = await readAccount({ rpc, contracts }, WALLET, async () => facts)
  return [account.block, account.available, account.locked]
}

const FACTS: readonly (readonly [change: bigint, ChainFact])[] = [
  [40n, { ...at, type: 'deposited', wallet: WALLET, credits, at: toUnixMs(0) }],
  [-40n, { ...at, type: 'withdrawn', wallet: WALLET, credits }],
  [-40n, { ...at, type: 'thawing_started', wallet: WALLET, credits }],
  [40n, { ...at, type: 'thawing_cancelled', wallet: WALLET, credits }],
  [-40n, { ...at, type: 'locked', jobId: job(1), wallet: WALLET, credits }],
  [40n, { ...at, type: 'refunded', jobId: job(1), wallet: WALLET, credits }],
  [
    2n,
    {
      ...{ ...at, type: 'settled', jobId: job(1), wallet: WALLET, workerId: 1 },
      ...{ outputHash: HASH, charged: credits, returned: toCredits(2) },
    },
  ],
  [0n, { ...at, type: 'disputed', jobId: job(1), wallet: WALLET, claimedHash: HASH }],
  [
    40n,
    {
      ...{ ...at, type: 'dispute_resolved', jobId: job(1), wallet: WALLET },
      ...{ upheld: true, returned: credits },
    },
  ],
  [
    0n,
    {
      ...{ ...at, type: 'dispute_resolved', jobId: job(1), wallet: WALLET },
      ...{ upheld: false, returned: toCredits(0) },
    },
  ],
  [0n, { ...at, type: 'skipped', jobId: job(1), reason: 'NotSettled' }],
  [0n, { ...at, type: 'refunded', jobId: job(2), wallet: OTHER, credits }],
]

/** Where what left the balance went to, or came from. */
const LOCKED = new Map<ChainFact['type'], bigint>([
  ['locked', 40n],
  ['refunded', -40n],
  ['settled', -42n],
])

const Account = suite('account, read twice')

for (const [change, fact] of FACTS) {
  const title = 'upheld' in fact ? `${fact.type}, upheld: ${fact.upheld}` : fact.type
  const isOther = 'wallet' in fact && fact.wallet === OTHER
  Account(
    `${title}${isOther ? ' of another wallet' : ''}: moves the balance by ${change}`,
    async () => {
      const locked = 50n + (isOther ? 0n : (LOCKED.get(fact.type) ?? 0n))
      const later = [11, 100n + change, locked] as const
      assert.equal(await read([[10, 100n, 50n], later], [fact]), later)
    },
  )
}

Account('a balance that the logs do not explain is read again', async () => {
  const early: Read = [10, 140n, 0n] // of block 11 already
  const [, refunded] = FACTS[5]!
  assert.equal(await read([early, [11, 140n, 0n], [11, 140n, 0n]], [refunded]), [11, 140n, 0n])
})

Account('nor are locks that the logs do not explain: a charge moves nothing else', async () => {
  const early: Read = [10, 100n, 0n] // of block 11 already
  const charge: ChainFact = {
    ...{ ...at, type: 'settled', jobId: job(1), wallet: WALLET, workerId: 1 },
    ...{ outputHash: HASH, charged: credits, returned: toCredits(0) },
  }
  assert.equal(await read([early, [11, 100n, 0n], [11, 100n, 0n]], [charge]), [11, 100n, 0n])
})

Account.run()
