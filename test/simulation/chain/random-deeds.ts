import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { depositAddressOf } from '../../../src/chain/deposit-address.ts'
import { outputHash } from '../../../src/domain/hash.ts'
import { type Address, type JobId, makeJobId, toAddress } from '../../../src/domain/ids.ts'
import {
  completionDigest,
  domainSeparator,
  expandSignature,
  privateKeyAddress,
  registrationDigest,
  sign,
  withdrawalDigest,
} from '../../../src/domain/proof.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { Hex } from '../../../src/ports/escrow.ts'
import type { Random } from '../world.ts'
import type { Call, LaneRole, SettleItem, SignedContent } from './calls.ts'
import type { ContractState, JobStatus } from './contract-state.ts'

export interface Deed {
  readonly sender: Address
  readonly call: Call
  readonly afterSeconds: number
}

export interface Deeds {
  /** Whose balances are of interest. */
  readonly people: readonly Address[]
  /** What any long enough row of deeds comes upon. */
  readonly mustBeSeen: readonly string[]
  /** @param state what the contracts remember now, so that most deeds make sense */
  next(state: ContractState): Deed
}

type Role = 'lock' | 'settle' | 'arbiter' | 'pauser' | 'deployer' | 'withdrawalSigner'
const bytes = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex')
const FAR_SECONDS = 2 ** 38
/** By its number where all three are registered in their order; of others it is refused. */
const LEAVER = 3

/** Calls of all kinds by all who may make them, and now and then by others. */
export function makeDeeds(
  random: Random,
  contracts: Contracts,
  keys: Readonly<Record<Role, Hex>>,
): Deeds {
  const { chainId, jobEscrow, workerStaking } = contracts
  const ofEscrow = domainSeparator({ name: 'JobEscrow', chainId, contract: jobEscrow })
  const ofStaking = domainSeparator({ name: 'WorkerStaking', chainId, contract: workerStaking })
  const holder = (role: Role): Address => privateKeyAddress(bytes(keys[role]))
  const wallets = ['a1', 'a2', 'a3'].map((byte) => toAddress(`0x${byte.repeat(20)}`))
  const workerKeys = ['b1', 'b2', 'b3'].map((byte) => Buffer.from(byte.repeat(32), 'hex'))
  const workers = workerKeys.map((key) => privateKeyAddress(key))
  const leaver = workers[LEAVER - 1]!
  const payee = toAddress(`0x${'cc'.repeat(20)}`)
  let made = 0

  const newJob = (): JobId => makeJobId(toUnixMs(1_800_000_000_000 + made++), random.bytes(16))
  const some = <T>(make: () => T): T[] => Array.from({ length: random.between(1, 4) }, make)
  const jobWith = (state: ContractState, ...wanted: JobStatus[]): JobId => {
    const all = [...state.jobs]
    const fitting = all.filter(([, { status }]) => wanted.includes(status))
    const from = random.chance(0.85) && fitting.length > 0 ? fitting : all
    return from.length === 0 || random.chance(0.03) ? newJob() : random.pick(from)[0]
  }
  const content = (jobId: JobId, key: Uint8Array): SignedContent => {
    const said = {
      outputHash: outputHash(`answer ${random.between(1, 3)}`),
      outputTokens: random.pick([0, 20, 500, 501, 1_500, 4_000]),
      completedAt: random.between(1_800_000_000, 1_900_000_000),
    }
    return { ...said, signature: sign(completionDigest(ofEscrow, { jobId, ...said }), key) }
  }
  const settleItem = (jobId: JobId): SettleItem => {
    const who = random.between(1, 3)
    const { signature, ...said } = content(jobId, workerKeys[who - 1]!)
    const workerId = random.chance(0.9) ? who : random.between(0, 5)
    return { jobId, completion: { jobId, ...said }, workerId, signature }
  }
  const voucher = (state: ContractState, wallet: Address): Call => {
    const terms = {
      ...{ credits: BigInt(random.pick([1, 50, 200, 2_000])), to: random.pick(wallets) },
      deadline: random.chance(0.9) ? FAR_SECONDS : 1_700_000_000,
    }
    const off = random.chance(0.1) ? 1n : 0n
    const nonce = state.account(wallet).voucherNonce + off
    const digest = withdrawalDigest(ofEscrow, { wallet, ...terms, nonce })
    const signer = random.chance(0.9) ? 'withdrawalSigner' : 'lock'
    return {
      type: 'withdraw',
      ...terms,
      voucher: expandSignature(sign(digest, bytes(keys[signer]))),
    }
  }
  const registration = (): Call => {
    const who = random.between(0, 2)
    const [signer, other] = [workers[who]!, workers[(who + 1) % 3]!]
    const paid = random.chance(0.9) ? payee : other
    const key = random.chance(0.9) ? workerKeys[who]! : workerKeys[(who + 1) % 3]!
    const signature = sign(registrationDigest(ofStaking, signer, paid), key)
    return { type: 'register', signer, payee: paid, signature }
  }
  const lie = (state: ContractState): Call => {
    const jobId = jobWith(state, 'Settled')
    const workerId = random.between(1, 3)
    const key = workerKeys[workerId - 1]!
    const completions = [content(jobId, key), content(jobId, key)] as const
    return { type: 'slashEquivocation', workerId, jobId, completions }
  }
  const by = (role: Role, call: Call): readonly [Address, Call] => [
    random.chance(0.98) ? holder(role) : random.pick(wallets),
    call,
  ]

  const laneRole = (): { role: LaneRole; account: Address } =>
    random.chance(0.5)
      ? { role: 'LOCKER', account: holder('lock') }
      : { role: 'SETTLER', account: holder('settle') }

  /** Each with how often it is chosen. */
  const kinds: readonly [number, (state: ContractState) => readonly [Address, Call]][] = [
    [
      22,
      (state) => {
        const item = () => ({
          jobId: random.chance(0.95) ? newJob() : jobWith(state, 'Locked'),
          wallet: random.pick(wallets),
          credits: BigInt(random.pick([0, 2, 8, 40, 40, 110, 400])),
          tier: random.pick([0, 1, 2, 3, 3, 4]),
        })
        return by('lock', { type: 'lockBatch', items: some(item) })
      },
    ],
    [
      20,
      (state) => {
        const items = some(() => settleItem(jobWith(state, 'Locked')))
        return by('settle', { type: 'settleBatch', items })
      },
    ],
    [
      5,
      (state) => {
        const jobIds = some(() => jobWith(state, 'Locked'))
        return by('settle', { type: 'refundBatch', jobIds })
      },
    ],
    [
      5,
      (state) => {
        const claimedHash = outputHash('another answer')
        const items = some(() => ({ jobId: jobWith(state, 'Settled'), claimedHash }))
        return by('settle', { type: 'disputeBatch', items })
      },
    ],
    [
      4,
      (state) => {
        const jobId = jobWith(state, 'Settled')
        const sender = state.jobs.get(jobId)?.wallet ?? wallets[0]!
        return [sender, { type: 'openDispute', jobId, claimedHash: outputHash('mine') }]
      },
    ],
    [
      5,
      (state) => {
        const jobId = jobWith(state, 'Disputed')
        return by('arbiter', { type: 'resolveDispute', jobId, upheld: random.chance(0.5) })
      },
    ],
    [2, (state) => [wallets[0]!, { type: 'expireDispute', jobId: jobWith(state, 'Disputed') }]],
    [3, (state) => [wallets[0]!, { type: 'refundExpired', jobId: jobWith(state, 'Locked') }]],
    [
      6,
      () => {
        const [payer, wallet] = [random.pick(wallets), random.pick(wallets)]
        return [payer, { type: 'deposit', wallet, credits: BigInt(random.pick([50, 100, 900])) }]
      },
    ],
    [
      6,
      () => {
        const wallet = random.pick(wallets)
        const to = random.chance(0.3) ? depositAddressOf(jobEscrow, wallet) : wallet
        return [wallet, { type: 'mint', to, units: BigInt(random.between(1, 9)) * 999_999n }]
      },
    ],
    [3, () => [random.pick(wallets), { type: 'sweep', wallet: random.pick(wallets) }]],
    [
      4,
      (state) => {
        const wallet = random.pick(wallets)
        return [wallet, voucher(state, wallet)]
      },
    ],
    [3, () => [random.pick(wallets), { type: 'requestWithdrawal', credits: 20n }]],
    [1, () => [random.pick(wallets), { type: 'cancelWithdrawal' }]],
    [2, () => [random.pick(wallets), { type: 'completeWithdrawal', to: random.pick(wallets) }]],
    [
      2,
      () => {
        const creditsPerDay = BigInt(random.pick([0, 0, 60, 500]))
        return [random.pick(wallets), { type: 'setSpendLimit', creditsPerDay }]
      },
    ],
    [1, () => by('pauser', { type: 'pause' })],
    [6, () => by('pauser', { type: 'unpause' })],
    [
      1,
      () => {
        const creditsPerHour = BigInt(random.pick([50, 100, 150, 10_000, 10_000]))
        return by('deployer', { type: 'setSettleCap', creditsPerHour })
      },
    ],
    [1, () => by('deployer', { type: 'revokeRole', ...laneRole() })],
    [12, () => by('deployer', { type: 'grantRole', ...laneRole() })],
    [4, () => [random.pick(wallets), { type: 'claim', workerId: random.between(0, 3) }]],
    [2, () => [random.pick(wallets), { type: 'claimTreasury' }]],
    [4, () => [random.pick(wallets), registration()]],
    [
      2,
      () => {
        const amount = BigInt(random.pick([0, 400, 700])) * 10n ** 18n
        return [random.pick(wallets), { type: 'stake', workerId: random.between(1, 3), amount }]
      },
    ],
    [2, (state) => [random.pick(wallets), lie(state)]],
    // One of them, so that the others go on settling.
    [2, () => [leaver, { type: 'deactivate', workerId: random.chance(0.6) ? LEAVER : 1 }]],
  ]
  const sum = kinds.reduce((all, [weight]) => all + weight, 0)

  return {
    people: [...wallets, payee, leaver],
    mustBeSeen: MUST_BE_SEEN,
    next: (state) => {
      let place = random.between(1, sum)
      const [, make] = kinds.find(([weight]) => {
        place -= weight
        return place <= 0
      })!
      const [sender, call] = make(state)
      const jumps = [10, 100, 300, 700, 4_000, 90_000]
      return { sender, call, afterSeconds: random.chance(0.2) ? random.pick(jumps) : 0 }
    },
  }
}

const MUST_BE_SEEN = [
  ...['locked', 'settled', 'refunded', 'disputed', 'dispute_resolved', 'worker_slashed'],
  ...['deposited', 'withdrawn', 'thawing_started', 'thawing_cancelled', 'worker_registered'],
  ...['lockBatch', 'settleBatch'].map((call) => `${call} AccessControlUnauthorizedAccount`),
  ...['revokeRole', 'grantRole'],
  ...['deactivate', 'claim', 'claimTreasury', 'sweep'],
  ...['InsufficientCredits', 'JobIdUsed', 'NotLocked', 'UnknownWorker', 'BadSignature'].map(
    (reason) => `skipped ${reason}`,
  ),
  ...[
    'ZeroCredits',
    'UnknownTier',
    'NotSettled',
    'DisputeWindowOver',
    'Paused',
    'SpendLimitReached',
    'SettleCapReached',
  ].map((reason) => `skipped ${reason}`),
]
