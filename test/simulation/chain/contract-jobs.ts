import { type Credits, toCredits } from '../../../src/domain/credits.ts'
import type { Address, JobId } from '../../../src/domain/ids.ts'
import type { LockItem, SettleItem } from './calls.ts'
import { earn, earnTreasury, sharesOf } from './contract-earnings.ts'
import type { Account, Job, Worker } from './contract-state.ts'
import type { Scene } from './scene.ts'

const DAY_SECONDS = 86_400
const HOUR_SECONDS = 3_600
const SPENT_MAX = 2n ** 32n - 1n
const WORKER_ID_MAX = 2 ** 24 - 1
/** The flat price covers so many. */
const FLAT_TOKENS = 500

const credits = (value: bigint): Credits => toCredits(value)
const dayOf = (at: number): number => Math.floor(at / DAY_SECONDS)

/* LOCK */

export function lockBatch(scene: Scene, items: readonly LockItem[]): void {
  for (const item of items) {
    const reason = scene.state.paused ? 'Paused' : lock(scene, item)
    if (reason) scene.skip(item.jobId, reason)
  }
}

function lock(scene: Scene, item: LockItem): string | undefined {
  const { state, terms, now } = scene
  const { jobId, wallet, tier } = item
  if (item.credits === 0n) return 'ZeroCredits'
  if (!terms.prices[tier]) return 'UnknownTier'
  if (state.jobs.has(jobId)) return 'JobIdUsed'
  const account = state.account(wallet)
  if (account.available < item.credits) return 'InsufficientCredits'
  const today = dayOf(now)
  const spent = (account.spentOn === today ? account.spent : 0n) + item.credits
  if (account.spendLimit !== 0n && spent > account.spendLimit) return 'SpendLimitReached'

  state.change(wallet, {
    available: account.available - item.credits,
    locked: account.locked + item.credits,
    spent: spent < SPENT_MAX ? spent : SPENT_MAX,
    spentOn: today,
  })
  const job: Job = {
    ...{ wallet, credits: item.credits, tier, status: 'Locked', since: now },
    ...{ workerId: 0, staked: false },
  }
  state.jobs.set(jobId, job)
  scene.fact({ type: 'locked', jobId, wallet, credits: credits(item.credits) }, { tier })
  return undefined
}

/* SETTLE */

export function settleBatch(scene: Scene, items: readonly SettleItem[]): void {
  const { state, now } = scene
  const hour = Math.floor(now / HOUR_SECONDS)
  const chargedBefore = state.cap.hour === hour ? state.cap.charged : 0n
  let chargeable = state.capPerHour > chargedBefore ? state.capPerHour - chargedBefore : 0n
  let charged = 0n
  for (const item of items) {
    const outcome = settle(scene, item, chargeable)
    if (typeof outcome === 'string') scene.skip(item.jobId, outcome)
    else {
      chargeable -= outcome
      charged += outcome
    }
  }
  if (charged > 0n) state.cap = { charged: chargedBefore + charged, hour }
}

/** @returns what was charged, or why nothing was */
function settle(scene: Scene, item: SettleItem, chargeable: bigint): bigint | string {
  const { state, terms, now } = scene
  const { jobId, workerId, completion } = item
  const job = state.jobs.get(jobId)
  if (job?.status !== 'Locked') return 'NotLocked'
  const worker = livingWorker(scene, workerId)
  if (!worker) return 'UnknownWorker'
  if (terms.signerOf(completion, item.signature) !== worker.signer) return 'BadSignature'
  const price = priceOf(scene, job.tier, completion.outputTokens)
  let charged = price
  if (charged > job.credits) charged = job.credits
  if (charged > chargeable) return 'SettleCapReached'

  const returned = job.credits - charged
  const staked = worker.active >= terms.minimumStake
  release(scene, job, returned)
  const shares = sharesOf(scene, charged, staked)
  state.jobs.set(jobId, {
    ...job,
    ...{ credits: charged, workerId, staked, status: 'Settled', since: now },
  })
  earn(scene, workerId, shares.forWorker)
  earnTreasury(scene, shares.forTreasury)
  const { wallet } = job
  const { outputHash, outputTokens } = completion
  const money = { charged: credits(charged), returned: credits(returned) }
  scene.fact(
    { type: 'settled', jobId, wallet, workerId, outputHash, ...money },
    { shares: { outputTokens, ...shares } },
  )
  return charged
}

function livingWorker({ state }: Scene, workerId: number): Worker | undefined {
  const worker = workerId <= WORKER_ID_MAX ? state.workers.get(workerId) : undefined
  return worker?.deactivated ? undefined : worker
}

function priceOf({ terms }: Scene, tier: number, outputTokens: number): bigint {
  const { perRequest, per1kTokens } = terms.prices[tier]!
  if (outputTokens <= FLAT_TOKENS) return perRequest
  return perRequest + (BigInt(outputTokens - FLAT_TOKENS) * per1kTokens + 999n) / 1000n
}

/* REFUND */

export function refundBatch(scene: Scene, jobIds: readonly JobId[]): void {
  for (const jobId of jobIds) {
    const job = scene.state.jobs.get(jobId)
    if (job?.status === 'Locked') refund(scene, jobId, job)
    else scene.skip(jobId, 'NotLocked')
  }
}

export function refund(scene: Scene, jobId: JobId, job: Job): void {
  release(scene, job, job.credits)
  scene.state.jobs.set(jobId, { ...job, status: 'Refunded', since: scene.now })
  const { wallet } = job
  scene.fact({ type: 'refunded', jobId, wallet, credits: credits(job.credits) })
}

/** Ends a lock. What a lock gives back no longer counts for its day, if that is the last one. */
function release({ state }: Scene, { wallet, credits: lockedCredits, since }: Job, back: bigint) {
  const account = state.account(wallet)
  state.change(wallet as Address, {
    locked: account.locked - lockedCredits,
    available: account.available + back,
    spent: spentLess(account, dayOf(since), back),
  })
}

function spentLess({ spent, spentOn }: Account, day: number, back: bigint): bigint {
  if (spentOn !== day) return spent
  return back < spent ? spent - back : 0n
}
