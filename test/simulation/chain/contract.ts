import type { Address, JobId } from '../../../src/domain/ids.ts'
import type { Call, CallOf, LaneRole } from './calls.ts'
import { cancelThaw, completeThaw, credit, startThaw, withdraw } from './contract-accounts.ts'
import { claim, claimTreasury, openDispute, resolve } from './contract-earnings.ts'
import { lockBatch, refund, refundBatch, settleBatch } from './contract-jobs.ts'
import type { ContractState } from './contract-state.ts'
import { deactivate, register, slashEquivocation, stake } from './contract-workers.ts'
import { type Log, Revert, require, type Scene } from './scene.ts'

/**
 * JobEscrow and WorkerStaking, as far as the house speaks to them: the same rules in the same order.
 * `chain-model.test.ts` compares it with the contracts themselves.
 * @returns the logs, or the name of the error; `state` is to be thrown away then
 */
export function execute(scene: Scene, sender: Address, call: Call): readonly Log[] | Revert {
  try {
    perform(scene, sender, call)
    return scene.logs
  } catch (error) {
    if (error instanceof Revert) return error
    throw error
  }
}

function perform(scene: Scene, sender: Address, call: Call): unknown {
  const { state, terms } = scene
  switch (call.type) {
    case 'lockBatch':
      return asLane(scene, sender, 'LOCKER', () => lockBatch(scene, call.items))
    case 'settleBatch':
      return asLane(scene, sender, 'SETTLER', () => settleBatch(scene, call.items))
    case 'refundBatch':
      return asLane(scene, sender, 'SETTLER', () => refundBatch(scene, call.jobIds))
    case 'disputeBatch':
      return asLane(scene, sender, 'SETTLER', () => disputeBatch(scene, call))
    case 'refundExpired':
      return refundExpired(scene, call.jobId)
    case 'openDispute':
      return openByWallet(scene, sender, call)
    case 'resolveDispute':
      return asRole(sender, terms.arbiter, () => resolve(scene, call.jobId, call.upheld))
    case 'expireDispute':
      return expireDispute(scene, call.jobId)
    case 'deposit':
      return credit(scene, sender, call.wallet, call.credits)
    case 'sweep': {
      const at = terms.depositAddress(call.wallet)
      return credit(scene, at, call.wallet, state.tokensOf(at) / terms.unitsPerCredit)
    }
    case 'mint':
      state.tokens.set(call.to, state.tokensOf(call.to) + call.units)
      return scene.tell({ name: 'Transfer', to: call.to })
    case 'withdraw':
      return withdraw(scene, sender, call)
    case 'requestWithdrawal':
      return startThaw(scene, sender, call.credits)
    case 'cancelWithdrawal':
      return cancelThaw(scene, sender)
    case 'completeWithdrawal':
      return completeThaw(scene, sender, call.to)
    case 'setSpendLimit':
      return state.change(sender, { spendLimit: call.creditsPerDay })
    case 'pause':
    case 'unpause':
      return asRole(sender, terms.pauser, () => setPaused(state, call.type === 'pause'))
    case 'setSettleCap':
      return asRole(sender, terms.admin, () => setSettleCap(scene, call.creditsPerHour))
    case 'grantRole':
    case 'revokeRole':
      return asRole(sender, terms.admin, () => changeRole(scene, call))
    case 'claim':
      return claim(scene, call.workerId)
    case 'claimTreasury':
      return claimTreasury(scene)
    case 'register':
      return register(scene, call)
    case 'deactivate':
      return deactivate(scene, sender, call.workerId)
    case 'stake':
      return stake(scene, call.workerId, call.amount)
    case 'slashEquivocation':
      return slashEquivocation(scene, call)
    default:
      throw new Error(`no such call: ${JSON.stringify(call satisfies never)}`)
  }
}

function asRole(sender: Address, holder: Address, act: () => void): void {
  require(sender === holder, 'AccessControlUnauthorizedAccount')
  act()
}

/** Whether it may act in that role. */
export const hasRole = ({ state, terms }: Scene, role: LaneRole, account: Address): boolean =>
  account === (role === 'LOCKER' ? terms.locker : terms.settler) && !state.revoked.has(role)

function asLane(scene: Scene, sender: Address, role: LaneRole, act: () => void): void {
  require(hasRole(scene, role, sender), 'AccessControlUnauthorizedAccount')
  act()
}

/** Nobody grants one to others than its first holder. */
function changeRole({ state }: Scene, { type, role }: CallOf<'grantRole' | 'revokeRole'>): void {
  if (type === 'revokeRole') state.revoked.add(role)
  else state.revoked.delete(role)
}

function refundExpired(scene: Scene, jobId: JobId): void {
  const job = scene.state.jobs.get(jobId)
  if (job?.status !== 'Locked') throw new Revert('JobNotLocked')
  require(scene.now >= job.since + scene.terms.expirySeconds, 'JobNotExpired')
  refund(scene, jobId, job)
}

function disputeBatch(scene: Scene, { items }: CallOf<'disputeBatch'>): void {
  for (const { jobId, claimedHash } of items) {
    const job = scene.state.jobs.get(jobId)
    if (job?.status !== 'Settled') scene.skip(jobId, 'NotSettled')
    else if (scene.now > job.since + scene.terms.disputeSeconds) {
      scene.skip(jobId, 'DisputeWindowOver')
    } else openDispute(scene, jobId, job, claimedHash)
  }
}

function openByWallet(scene: Scene, sender: Address, call: CallOf<'openDispute'>): void {
  const { jobId, claimedHash } = call
  const job = scene.state.jobs.get(jobId)
  if (job?.status !== 'Settled') throw new Revert('JobNotSettled')
  require(job.wallet === sender, 'NotWalletOfJob')
  require(scene.now <= job.since + scene.terms.disputeSeconds, 'DisputeWindowOver')
  openDispute(scene, jobId, job, claimedHash)
}

function expireDispute(scene: Scene, jobId: JobId): void {
  const job = scene.state.jobs.get(jobId)
  if (job?.status !== 'Disputed') throw new Revert('JobNotDisputed')
  require(scene.now >= job.since + scene.terms.arbitrationSeconds, 'ArbitrationNotOver')
  resolve(scene, jobId, false)
}

function setPaused(state: ContractState, paused: boolean): void {
  require(state.paused !== paused, paused ? 'EnforcedPause' : 'ExpectedPause')
  state.paused = paused
}

function setSettleCap({ state, terms }: Scene, creditsPerHour: bigint): void {
  const least = terms.settleCapMax / 100n
  require(creditsPerHour >= least && creditsPerHour <= terms.settleCapMax, 'SettleCapOutOfBounds')
  state.capPerHour = creditsPerHour
}
