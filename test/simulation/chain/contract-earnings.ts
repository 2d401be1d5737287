import { NO_CREDITS, toCredits } from '../../../src/domain/credits.ts'
import type { Hex32, JobId } from '../../../src/domain/ids.ts'
import type { Job } from './contract-state.ts'
import { slash } from './contract-workers.ts'
import { type Held, NOTHING_HELD, rolled, taken } from './earnings.ts'
import { Revert, require, type Scene, windowOf } from './scene.ts'

const BASIS_POINTS = 10_000n
const SHARE_BPS = 7_500n
const STAKED_SHARE_BPS = 8_500n

/** The worker's rounds down; the treasury takes the rest. */
export function sharesOf({ terms }: Scene, charged: bigint, staked: boolean) {
  const units = charged * terms.unitsPerCredit
  const forWorker = (units * (staked ? STAKED_SHARE_BPS : SHARE_BPS)) / BASIS_POINTS
  return { forWorker, forTreasury: units - forWorker }
}

/* EARN AND CLAIM */

export const earningsNow = (scene: Scene, workerId: number): Held =>
  rolled(scene.state.earnings.get(workerId) ?? NOTHING_HELD, windowOf(scene, scene.now))
export const treasuryNow = (scene: Scene): Held =>
  rolled(scene.state.treasury, windowOf(scene, scene.now))

export function earn(scene: Scene, workerId: number, units: bigint): void {
  const held = earningsNow(scene, workerId)
  scene.state.earnings.set(workerId, { ...held, latest: held.latest + units })
}

export function earnTreasury(scene: Scene, units: bigint): void {
  const held = treasuryNow(scene)
  scene.state.treasury = { ...held, latest: held.latest + units }
}

export function claim(scene: Scene, workerId: number): void {
  const { state, terms } = scene
  const held = earningsNow(scene, workerId)
  require(held.due !== 0n, 'NothingToClaim')
  const payee = state.workers.get(workerId)?.payee
  if (!payee) throw new Revert('UnknownWorker')
  require(payee !== terms.escrow, 'PaysItself')
  state.earnings.set(workerId, { ...held, due: 0n })
  state.move(terms.escrow, payee, held.due)
  scene.tell({ name: 'Claimed', earner: workerId, units: held.due })
}

export function claimTreasury(scene: Scene): void {
  const { state, terms } = scene
  const held = treasuryNow(scene)
  require(held.due !== 0n, 'NothingToClaim')
  state.treasury = { ...held, due: 0n }
  state.move(terms.escrow, terms.treasury, held.due)
  scene.tell({ name: 'Claimed', earner: 'treasury', units: held.due })
}

/* DISPUTE */

export function openDispute(scene: Scene, jobId: JobId, job: Job, claimedHash: Hex32): void {
  const { state, now } = scene
  const { forWorker, forTreasury } = sharesOf(scene, job.credits, job.staked)
  const window = windowOf(scene, job.since)
  state.earnings.set(job.workerId, taken(earningsNow(scene, job.workerId), window, forWorker))
  state.treasury = taken(treasuryNow(scene), window, forTreasury)
  state.disputedUnits += forWorker + forTreasury
  state.jobs.set(jobId, { ...job, status: 'Disputed', since: now })
  const { wallet, workerId } = job
  scene.fact({ type: 'disputed', jobId, wallet, claimedHash }, { workerId })
}

export function resolve(scene: Scene, jobId: JobId, upheld: boolean): void {
  const { state, now } = scene
  const job = state.jobs.get(jobId)
  if (job?.status !== 'Disputed') throw new Revert('JobNotDisputed')
  const { wallet, credits, workerId } = job
  const { forWorker, forTreasury } = sharesOf(scene, credits, job.staked)
  state.disputedUnits -= forWorker + forTreasury
  if (upheld) state.change(wallet, { available: state.account(wallet).available + credits })
  else giveBack(scene, workerId, forWorker, forTreasury)
  state.jobs.set(jobId, { ...job, status: upheld ? 'Upheld' : 'Rejected', since: now })
  const returned = upheld ? toCredits(credits) : NO_CREDITS
  scene.fact({ type: 'dispute_resolved', jobId, wallet, upheld, returned }, { workerId })
  if (upheld) slash(scene, workerId, jobId, 'fraudulent_proof')
}

function giveBack(scene: Scene, workerId: number, forWorker: bigint, forTreasury: bigint): void {
  const worker = earningsNow(scene, workerId)
  const treasury = treasuryNow(scene)
  scene.state.earnings.set(workerId, { ...worker, due: worker.due + forWorker })
  scene.state.treasury = { ...treasury, due: treasury.due + forTreasury }
}
