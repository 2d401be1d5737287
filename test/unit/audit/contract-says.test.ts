import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeAbiParameters, encodeEventTopics, getAbiItem, type Hex, pad } from 'viem'
import { nameOf } from '../../../src/audit/books/difference.ts'
import { readChain } from '../../../src/audit/books/read-chain.ts'
import { price } from '../../../src/audit/books/rules.ts'
import { escrowEvents, jobKey, RECORD_STATUSES, tokenEvents } from '../../../src/audit/chain/abi.ts'
import type { Chain } from '../../../src/audit/chain/connect.ts'

/** Contract and token are asked what they remember: whatever the events do not make is named. */
const Says = suite('audit: what the contract says')

const ESCROW = `0x${'e5'.repeat(20)}` as const
const TOKEN = `0x${'05'.repeat(20)}` as const
const WALLET = `0x${'11'.repeat(20)}` as const
const HASH = `0x${'ab'.repeat(32)}` as const
const [PAID, RUNNING, DISPUTED] = ['job_1', 'job_2', 'job_3'].map((id) => jobKey(id)!) as [
  Hex,
  Hex,
  Hex,
]
let logIndex = 0

function logOf(
  abi: typeof escrowEvents | typeof tokenEvents,
  eventName: string,
  args: Record<string, unknown>,
) {
  const { inputs } = getAbiItem({ abi, name: eventName } as never) as (typeof escrowEvents)[number]
  const plain = inputs.filter((input) => !('indexed' in input && input.indexed))
  const topics = encodeEventTopics({ abi, eventName, args } as never)
  const data = encodeAbiParameters(plain, plain.map(({ name }) => args[name!]) as never)
  return { topics, data, blockNumber: 1n, logIndex: logIndex++, transactionHash: HASH }
}
const transfer = (from: Hex, to: Hex, value: bigint) =>
  logOf(tokenEvents, 'Transfer', { from, to, value })

const settled = (jobId: Hex) =>
  logOf(escrowEvents, 'JobSettled', {
    ...{ jobId, wallet: WALLET, workerId: 7, outputHash: HASH, outputTokens: 60 },
    ...{ creditsCharged: 8, creditsReturned: 12, workerUnits: 60_000n, treasuryUnits: 20_000n },
  })
const locked = (jobId: Hex) =>
  logOf(escrowEvents, 'JobLocked', { jobId, wallet: WALLET, credits: 20, tier: 1 })
const ofWallet = (eventName: string, args: Record<string, unknown>) =>
  logOf(escrowEvents, eventName, { wallet: WALLET, to: WALLET, payer: WALLET, ...args })

/** One job is settled, one runs, one is disputed. Some credits are out, some on their way. */
const EVENTS = [
  ofWallet('Deposited', { credits: 200n }),
  ...[PAID, RUNNING, DISPUTED].map(locked),
  ...[PAID, DISPUTED].map(settled),
  ofWallet('JobDisputed', { jobId: DISPUTED, workerId: 7, claimedHash: HASH }),
  ofWallet('Withdrawn', { credits: 5n }),
  ofWallet('WithdrawalRequested', { credits: 10n, endsAt: 9 }),
  logOf(escrowEvents, 'EarningsClaimed', { workerId: 7, payee: WALLET, units: 50_000n }),
]
const TRUTH = {
  account: [149n, 20n, 10n, 0],
  earnings: 10_000n,
  treasuryUnits: 20_000n,
  disputedUnits: 80_000n,
  // Seven came unasked.
  came: 2_000_007n,
  went: 100_000n,
  balance: 1_900_007n,
  status: 'settled' as (typeof RECORD_STATUSES)[number],
  staked: false,
  priceOf: (tier: number, tokens: number) => price(tier, BigInt(tokens)),
}

async function found(lie: Partial<typeof TRUTH>): Promise<string> {
  const said = { ...TRUTH, ...lie }
  const statusOf = (key: Hex) =>
    key === RUNNING ? 'locked' : key === DISPUTED ? 'disputed' : said.status
  const answers: Record<string, (...args: never[]) => unknown> = {
    accounts: () => said.account,
    earnings: () => said.earnings,
    treasuryUnits: () => said.treasuryUnits,
    disputedUnits: () => said.disputedUnits,
    balanceOf: () => said.balance,
    priceOf: said.priceOf as never,
    jobs: (key: Hex) => ({
      ...{ wallet: WALLET, tier: 1, since: 1, workerId: 7, staked: key === PAID && said.staked },
      credits: statusOf(key) === 'locked' ? 20 : 8,
      status: RECORD_STATUSES.indexOf(statusOf(key)),
    }),
  }
  const readContract = async ({ functionName, args = [] }: { functionName: string; args?: [] }) =>
    functionName === 'TOKEN' ? TOKEN : answers[functionName]!(...args)
  const logs = async (address: Hex, [, from]: readonly (Hex | null)[]) => {
    if (address === ESCROW) return EVENTS
    if (from === pad(ESCROW)) return [transfer(ESCROW, WALLET, said.went)]
    return [transfer(WALLET, ESCROW, said.came)]
  }
  const client = { readContract, getBlock: async () => ({ number: 9n, hash: HASH }) }
  const { differences } = await readChain({ client, logs, escrow: ESCROW } as unknown as Chain)
  return differences.map(nameOf).join('\n')
}

Says('what the events make: no difference', async () => {
  assert.is(await found({}), '')
})

const LIES: Record<string, readonly [lie: Partial<typeof TRUTH>, said: RegExp]> = {
  'fewer credits of a wallet': [
    { account: [148n, 20n, 10n, 0] },
    /0x1+: available on chain is 148, but the events make 149/,
  ],
  'a lock of no job': [
    { account: [149n, 21n, 10n, 0] },
    /locked on chain is 21, but the events make 20/,
  ],
  'a withdrawal that nobody asked for': [
    { account: [149n, 20n, 11n, 0] },
    /thawing on chain is 11, but the events make 10/,
  ],
  'earnings that were claimed': [
    { earnings: 60_000n },
    /worker 7: earned on chain is 60000, but the events make 10000/,
  ],
  'more for the treasury': [{ treasuryUnits: 20_001n }, /treasury: earned on chain is 20001/],
  'less held for a dispute': [{ disputedUnits: 0n }, /disputes: held on chain is 0/],
  'less than it owes': [
    { came: 2_000_000n, balance: 1_899_999n, went: 100_001n },
    /escrow: holds 1899999 token units, but owes 1900000, and 0 came unasked/,
  ],
  'a balance that the transfers do not make': [
    { balance: 1_900_008n },
    /escrow: holds 1900008 token units, but by the transfers 1900007/,
  ],
  'a payment without an event': [
    { went: 100_001n, balance: 1_900_006n },
    /what the token has paid out of it is 100001, but the events make 100000/,
  ],
  'credits for which nothing came': [
    { came: 1_999_999n },
    /escrow: was credited 2000000 token units, but only 1999999 have come/,
  ],
  'another price': [
    {
      priceOf: (tier, tokens) => (tokens === 501 && tier === 1 ? 8n : price(tier, BigInt(tokens))),
    },
    /^prices: 501 tokens of tier 1 cost 8 credits, not 9$/,
  ],
  'another end of a job': [
    { status: 'locked' },
    /job_1: the contract has it locked with 20 credits .*, the events settled with 8/,
  ],
  'a stake that was not paid for': [
    { staked: true },
    /job_1: its share by the stake is 68000, but the events make 60000/,
  ],
}
for (const [lie, [says, named]] of Object.entries(LIES)) {
  Says(`${lie}: named`, async () => assert.match(await found(says), named))
}

Says.run()
