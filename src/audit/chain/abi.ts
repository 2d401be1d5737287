import { parseAbi } from 'viem'

/**
 * What the auditor knows of the contracts, written by hand from what they promise and not made from
 * their sources: where the two part, the audit says so.
 */

export const escrowEvents = parseAbi([
  'event Deposited(address indexed wallet, address indexed payer, uint64 credits)',
  'event Withdrawn(address indexed wallet, address indexed to, uint64 credits)',
  'event WithdrawalRequested(address indexed wallet, uint64 credits, uint40 endsAt)',
  'event WithdrawalCancelled(address indexed wallet, uint64 credits)',
  'event WithdrawalCompleted(address indexed wallet, address indexed to, uint64 credits)',
  'event EarningsClaimed(uint32 indexed workerId, address indexed payee, uint256 units)',
  'event TreasuryClaimed(address indexed treasury, uint256 units)',
  'event JobLocked(bytes32 indexed jobId, address indexed wallet, uint32 credits, uint8 tier)',
  'event JobSettled(bytes32 indexed jobId, address indexed wallet, uint32 indexed workerId, bytes32 outputHash, uint32 outputTokens, uint32 creditsCharged, uint32 creditsReturned, uint64 workerUnits, uint64 treasuryUnits)',
  'event JobRefunded(bytes32 indexed jobId, address indexed wallet, uint32 credits)',
  'event JobDisputed(bytes32 indexed jobId, address indexed wallet, uint32 indexed workerId, bytes32 claimedHash)',
  'event DisputeResolved(bytes32 indexed jobId, address indexed wallet, uint32 indexed workerId, bool upheld, uint32 creditsReturned)',
])

export const escrowReads = parseAbi([
  'struct Job { address wallet; uint32 credits; uint8 tier; uint8 status; uint32 since; uint24 workerId; bool staked; }',
  'function jobs(bytes32 jobId) view returns (Job)',
  'function accounts(address wallet) view returns (uint64 available, uint64 locked, uint64 thawing, uint40 lastDepositAt)',
  'function earnings(uint32 workerId) view returns (uint256)',
  'function treasuryUnits() view returns (uint256)',
  'function disputedUnits() view returns (uint256)',
  'function priceOf(uint8 tier, uint32 outputTokens) view returns (uint64)',
  'function TOKEN() view returns (address)',
  'function WORKERS() view returns (address)',
  'function UNITS_PER_CREDIT() view returns (uint64)',
  'function DEFAULT_SHARE_BPS() view returns (uint64)',
  'function STAKED_SHARE_BPS() view returns (uint64)',
  'function EXPIRY_SECONDS() view returns (uint32)',
  'function DISPUTE_SECONDS() view returns (uint32)',
  'function ARBITRATION_SECONDS() view returns (uint32)',
])

export const escrowCalls = parseAbi([
  'struct LockItem { bytes32 jobId; address wallet; uint32 credits; uint8 tier; }',
  'struct SettleItem { bytes32 jobId; bytes32 outputHash; uint32 workerId; uint32 outputTokens; uint40 completedAt; bytes32 r; bytes32 vs; }',
  'function lockBatch(LockItem[] items)',
  'function settleBatch(SettleItem[] items)',
])

export const workerEvents = parseAbi([
  'event WorkerRegistered(uint32 indexed workerId, address indexed signer, address indexed payee)',
])

export const tokenEvents = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])
export const tokenReads = parseAbi(['function balanceOf(address) view returns (uint256)'])

/** States of a job in the contract's order. */
export const RECORD_STATUSES = [
  'none',
  'locked',
  'settled',
  'refunded',
  'disputed',
  'upheld',
  'rejected',
] as const
export type RecordStatus = (typeof RECORD_STATUSES)[number]

/** Tiers in the contract's order. */
const TIER_NAMES = ['lite', 'standard', 'pro', 'max'] as const
export const tierName = (tier: number): string => TIER_NAMES[tier] ?? `number ${tier}`

/** What a worker signs, EIP-712. */
export const COMPLETION = {
  Completion: [
    { name: 'jobId', type: 'bytes32' },
    { name: 'outputHash', type: 'bytes32' },
    { name: 'outputTokens', type: 'uint32' },
    { name: 'completedAt', type: 'uint40' },
  ],
} as const
export const COMPLETION_DOMAIN = { name: 'JobEscrow', version: '1' } as const

const JOB_ID = /^job_[0-9a-zA-Z]{1,28}$/

/** A job id on chain is its ASCII, zeros behind it. Undefined for what is no job id. */
export const jobKey = (jobId: string): `0x${string}` | undefined =>
  JOB_ID.test(jobId)
    ? `0x${Buffer.from(jobId, 'ascii').toString('hex').padEnd(64, '0')}`
    : undefined

export const jobIdOf = (key: string): string =>
  Buffer.from(key.slice(2), 'hex').toString('latin1').replace(/\0+$/, '')
