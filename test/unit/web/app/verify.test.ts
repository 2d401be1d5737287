import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type {
  ChainFacts,
  SettlementFact,
  SignedFact,
} from '../../../../src/web/app/pages/job/verify/facts.ts'
import { judge } from '../../../../src/web/app/pages/job/verify/judge.ts'

/** What the job page concludes from what the chain says. */
const Verify = suite('verify in the web app')

const hex = (digits: string, length: number) =>
  `0x${digits.repeat(length / digits.length)}` as const
const WALLET = hex('1', 40)
const SIGNER = hex('2', 40)
const HASH = hex('ab', 64)
const TX = hex('4', 64)
const at = { tx: TX, block: 7n } as const

const signed: SignedFact = {
  workerId: 1,
  outputHash: HASH,
  outputTokens: 1_312,
  completedAt: 1_750_000_000,
  signer: SIGNER,
}
// 2 + ⌈812 × 1 ÷ 1000⌉ = 3 credits of a lock of 5; 75 % of 30 000 units to the worker.
const settlement: SettlementFact = {
  ...at,
  workerId: 1,
  registered: SIGNER,
  outputHash: HASH,
  outputTokens: 1_312,
  charged: 3n,
  returned: 2n,
  workerUnits: 22_500n,
  treasuryUnits: 7_500n,
  signed,
}
const facts: ChainFacts = {
  chainId: 31_337,
  escrow: hex('3', 40),
  record: { status: 'Settled', wallet: WALLET, credits: 3n, tier: 0, staked: false },
  lock: { ...at, wallet: WALLET, credits: 5n, tier: 0 },
  settlement,
  refund: null,
  dispute: null,
  isEndTold: true,
}
const question = {
  chainId: 31_337,
  wallet: WALLET,
  textHash: `sha256:${HASH.slice(2)}`,
  unitsPerCredit: 10_000n,
}

Verify('shares are said to the last unit', () => {
  const shares = judge(facts, question).find(({ claim }) => claim.startsWith('Worker and treasury'))
  assert.match(shares?.evidence ?? '', /0\.0225 USDG to the worker .* 0\.0075 USDG to the treasury/)
})

const claimsThat = (holds: boolean | null, given: ChainFacts, asked = question) =>
  judge(given, asked)
    .filter((check) => check.holds === holds)
    .map(({ claim }) => claim)
const settledAs = (more: Partial<SettlementFact>): ChainFacts => ({
  ...facts,
  settlement: { ...settlement, ...more },
})

Verify('given a job as it should be, then every check holds and shows its evidence', () => {
  const checks = judge(facts, question)
  assert.is(checks.length, 8)
  assert.equal(claimsThat(true, facts).length, checks.length)
  const price = checks.find(({ claim }) => claim.startsWith('The price'))
  assert.match(price?.evidence ?? '', '2 + 812 × 1 ÷ 1,000, rounded up, = 3 credits')
  assert.is(price?.tx, TX)
})

const PRICE = 'The price is right, and the rest of the lock came back'
const SHARES = 'Worker and treasury got what was charged, to the last unit'
const SIGNED = 'The worker signed exactly what was settled'
const OWNER = 'The signature is of the worker that was paid'
const RECORD = 'The contract remembers the same'
const TEXT = 'Your text is the answer that the worker signed'
const LIES: readonly (readonly [string, ChainFacts, readonly string[]])[] = [
  ['too much is charged', settledAs({ charged: 4n, returned: 1n }), [PRICE, SHARES]],
  ['less comes back', settledAs({ returned: 1n }), [PRICE]],
  ['the treasury gets more', settledAs({ treasuryUnits: 7_501n }), [SHARES]],
  ['another hash is settled', settledAs({ outputHash: hex('cd', 64) }), [SIGNED, TEXT]],
  ['fewer tokens were signed', settledAs({ signed: { ...signed, outputTokens: 1 } }), [SIGNED]],
  ['somebody else signed', settledAs({ signed: { ...signed, signer: WALLET } }), [OWNER]],
  ['nobody signed', settledAs({ signed: { ...signed, signer: null } }), [OWNER]],
  [
    'another wallet paid',
    { ...facts, lock: { ...facts.lock!, wallet: SIGNER } },
    ['Your credits were locked for this job'],
  ],
  [
    'the contract remembers a refund',
    { ...facts, record: { ...facts.record, status: 'Refunded' } },
    [RECORD],
  ],
  [
    'the transaction that is said to have settled it has not',
    { ...facts, settlement: null },
    [RECORD],
  ],
]
for (const [lie, given, broken] of LIES) {
  Verify(`given that ${lie}, then just that does not hold`, () => {
    assert.equal(claimsThat(false, given), broken)
  })
}

Verify('given a worker with a stake, then its share is the higher one', () => {
  const staked: ChainFacts = {
    ...settledAs({ workerUnits: 25_500n, treasuryUnits: 4_500n }),
    record: { ...facts.record, staked: true },
  }
  assert.equal(claimsThat(false, staked), [])
})

Verify('given a price above the lock, then the charge is cut to the lock', () => {
  const cut: ChainFacts = {
    ...settledAs({ charged: 2n, returned: 0n, workerUnits: 15_000n, treasuryUnits: 5_000n }),
    lock: { ...facts.lock!, credits: 2n },
  }
  assert.equal(claimsThat(false, cut), [])
})

Verify('given another text, then only that does not hold', () => {
  const asked = { ...question, textHash: `sha256:${'00'.repeat(32)}` }
  assert.equal(claimsThat(false, facts, asked), [TEXT])
})

Verify('given a job without a settlement, then nothing is claimed of it', () => {
  const running: ChainFacts = {
    ...facts,
    settlement: null,
    record: { ...facts.record, status: 'Locked' },
  }
  assert.equal(claimsThat(false, running), [])
  assert.equal(claimsThat(null, running), [TEXT])
})

Verify('given a chain that is ahead of what the service has told, then nothing is wrong', () => {
  const untold: ChainFacts = { ...facts, settlement: null, isEndTold: false }
  for (const status of ['Settled', 'Refunded', 'Disputed'] as const) {
    const ahead = { ...untold, record: { ...facts.record, status } }
    assert.equal(claimsThat(false, ahead), [], status)
    assert.equal(claimsThat(null, ahead), [TEXT, RECORD], status)
  }
  const refunded = { ...facts, refund: { ...at, credits: 5n }, isEndTold: false }
  assert.equal(claimsThat(false, refunded), [RECORD], 'it cannot be both')
})

Verify('given a refund, then all of the lock came back', () => {
  const refunded: ChainFacts = {
    ...facts,
    settlement: null,
    refund: { ...at, credits: 5n },
    record: { ...facts.record, status: 'Refunded' },
  }
  assert.equal(claimsThat(false, refunded), [])
  const short = { ...refunded, refund: { ...at, credits: 4n } }
  assert.equal(claimsThat(false, short), ['All that was locked came back'])
})

Verify('given calldata that cannot be read, then the signature cannot be told', () => {
  assert.equal(claimsThat(null, settledAs({ signed: null })), [SIGNED])
})

Verify.run()
