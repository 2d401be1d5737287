import type { Address, JobId } from '../../../src/domain/ids.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { CallOf, Registration } from './calls.ts'
import type { Worker } from './contract-state.ts'
import { Revert, require, type Scene } from './scene.ts'

const NOBODY = toAddress(`0x${'00'.repeat(20)}`)
const BASIS_POINTS = 10_000n

export function register(scene: Scene, wish: Registration): void {
  const { state, terms } = scene
  const { signer, payee } = wish
  require(payee !== NOBODY, 'ZeroAddress')
  require(terms.isRegistration(wish), 'BadSignature')
  const known = state.workerIds.get(signer)
  if (known !== undefined) {
    require(living(scene, known).payee === payee, 'AlreadyRegistered')
    return
  }
  const workerId = state.workers.size + 1
  state.workerIds.set(signer, workerId)
  state.workers.set(workerId, { signer, payee, deactivated: false, active: 0n, unbonding: 0n })
  scene.fact({ type: 'worker_registered', workerId, signer, payee })
}

export function deactivate(scene: Scene, sender: Address, workerId: number): void {
  const worker = living(scene, workerId)
  require(worker.signer === sender, 'NotSigner')
  const { active, unbonding } = worker
  const left = { ...worker, deactivated: true, active: 0n, unbonding: unbonding + active }
  scene.state.workers.set(workerId, left)
  scene.tell({ name: 'WorkerDeactivated', workerId, signer: worker.signer })
}

/** The model asks nobody for the governance tokens. */
export function stake(scene: Scene, workerId: number, amount: bigint): void {
  const worker = living(scene, workerId)
  require(amount !== 0n, 'ZeroAmount')
  scene.state.workers.set(workerId, { ...worker, active: worker.active + amount })
}

export function slashEquivocation(scene: Scene, call: CallOf<'slashEquivocation'>): void {
  const { state, terms } = scene
  const { workerId, jobId, completions } = call
  const [a, b] = completions
  require(a.outputHash !== b.outputHash || a.outputTokens !== b.outputTokens, 'SameContent')
  require(!state.punished.has(`${workerId} ${jobId}`), 'AlreadyPunished')
  const worker = known(scene, workerId)
  for (const { signature, ...content } of completions) {
    require(terms.signerOf({ jobId, ...content }, signature) === worker.signer, 'BadSignature')
  }
  punish(scene, workerId, worker, jobId, 'equivocation')
}

/** After a verdict; a worker that was punished for the job already is left alone. */
export function slash(scene: Scene, workerId: number, jobId: JobId, reason: string): void {
  const { state } = scene
  const worker = state.workers.get(workerId)
  if (!worker || state.punished.has(`${workerId} ${jobId}`)) return
  punish(scene, workerId, worker, jobId, reason)
}

function punish(scene: Scene, workerId: number, worker: Worker, jobId: JobId, reason: string) {
  const { state, terms, now } = scene
  state.punished.add(`${workerId} ${jobId}`)
  const { active, unbonding } = worker
  // Rounds up, so that no stake is too small to lose some.
  const amount = ((active + unbonding) * terms.slashBps + BASIS_POINTS - 1n) / BASIS_POINTS
  const fromActive = amount < active ? amount : active
  state.workers.set(workerId, {
    ...worker,
    active: active - fromActive,
    unbonding: unbonding - (amount - fromActive),
  })
  const { signer } = worker
  const fact = { signer, amount, reason, relatedJobId: jobId, at: toUnixMs(now * 1_000) }
  scene.fact({ type: 'worker_slashed', ...fact }, { workerId })
}

function known({ state }: Scene, workerId: number): Worker {
  const worker = state.workers.get(workerId)
  if (!worker) throw new Revert('UnknownWorker')
  return worker
}

function living(scene: Scene, workerId: number): Worker {
  const worker = known(scene, workerId)
  require(!worker.deactivated, 'Deactivated')
  return worker
}
