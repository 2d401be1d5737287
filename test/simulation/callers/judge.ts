import { outputHash, publicHash } from '../../../src/domain/hash.ts'
import { type Address, completionId } from '../../../src/domain/ids.ts'
import { addMs } from '../../../src/domain/time.ts'
import type { JobView } from '../../../src/messages/job-view.ts'
import { questionOf } from './call-plan.ts'
import { judgeReceipts, type Receipts } from './judge-receipts.ts'
import { judgeRemaining } from './judge-remaining.ts'
import type { ToldError } from './read-answer.ts'
import { COUNTED, type ToldChat, type ToldDispute, type Witness } from './witness.ts'

export interface Verdicts extends Receipts {
  /** Redis forgot, so texts of answers may be gone. */
  readonly memoryWasLost: boolean
  /** The chain may have paid for the failed job, and has gone back behind that for good. */
  wasUndone(view: JobView): boolean
  readonly disputeWindowMs: number
  /** For how long a request's key is remembered. */
  readonly keyMs: number
  /** How far apart any two clocks of the life have been. */
  readonly clocksApartMs: number
  /** The service was away until the contract took no disputes any more, whatever it had accepted. */
  readonly contractMayRefuse?: boolean
  /** All that the wallet ever paid in; undefined: what it was told it has may not have been so. */
  depositedBy?(wallet: Address): bigint | undefined
}

/** Everything that callers were told and that is not true in the end, in words. */
export function judge(witness: Witness, verdicts: Verdicts): readonly string[] {
  return [
    ...witness.chats.flatMap((told) => [
      ...judgeForm(told),
      ...judgeText(told, witness),
      ...judgeEnd(told, verdicts),
      ...judgeReceipts(told, verdicts),
      ...judgeRemaining(told, witness.chats, verdicts),
    ]),
    ...judgeRefused(witness, verdicts),
    ...judgeKeys(witness, verdicts),
    ...witness.disputes.flatMap((told) => judgeDispute(told, witness, verdicts)),
  ]
}

const isAnswer = ({ status, answer }: ToldChat): boolean => status === 200 && answer.isComplete
const isCharged = (view: JobView | undefined): boolean => view !== undefined && view.charged > 0n

function judgeForm({ name, jobId, end, status, headers, answer }: ToldChat): string[] {
  const flaws = answer.flaws.map((flaw) => `${name}: ${flaw}`)
  if (end === 'no_end') flaws.push(`${name}: its request never ended, job ${jobId}`)
  const told = headers['x-svc-job-id']
  if (told !== undefined && told !== jobId) flaws.push(`${name}: told of ${told}, not of ${jobId}`)
  const isBare = end === 'whole' && status === 500 && answer.error?.code !== 'internal_error'
  if (isBare) flaws.push(`${name}: a bare 500`)
  return flaws
}

/** The text is what a worker proved of this very job, or how that begins. */
function judgeText({ name, caller, jobId, status, answer }: ToldChat, witness: Witness): string[] {
  if (status !== 200) return []
  const flaws: string[] = []
  if (answer.text !== '' && !answer.text.startsWith(`${jobId}@`)) {
    flaws.push(`${name}: text of another job: ${answer.text.slice(0, 60)}`)
  }
  if (answer.text !== '' && !answer.text.includes(` ${questionOf(caller)} `)) {
    flaws.push(`${name}: text to another question: ${answer.text.slice(0, 100)}`)
  }
  if (!answer.isComplete) return flaws
  if (answer.completionId !== completionId(jobId!)) {
    flaws.push(`${name}: the answer ${answer.completionId} to ${jobId}`)
  }
  const proved = witness.signed.get(jobId!)
  if (!proved?.has(answer.text)) {
    flaws.push(`${name}: no worker proved this text of ${jobId}: ${JSON.stringify(answer.text)}`)
  }
  const { receipt } = answer
  if (receipt && receipt.output_hash !== publicHash(outputHash(answer.text))) {
    flaws.push(`${name}: the receipt's hash is not that of the text`)
  }
  return flaws
}

function judgeEnd(told: ToldChat, { view: viewOf, wasUndone }: Verdicts): string[] {
  const { name, jobId, answer, wallet } = told
  const view = jobId && viewOf(jobId)
  if (view && view.wallet !== wallet) return [`${name}: ${jobId} is a job of another wallet`]
  if (isAnswer(told)) {
    const isFree = view?.status === 'failed' && wasUndone(view)
    return isFree ? [] : judgeAnswered(told, view)
  }
  if (answer.error?.code === 'job_timeout' && view?.status !== 'refunded') {
    return [`${name}: told 504 of ${jobId}, which is ${view?.status ?? 'nowhere'}`]
  }
  return []
}

function judgeAnswered(
  { name, jobId, headers, answer }: ToldChat,
  view: JobView | undefined,
): string[] {
  if (!view) return [`${name}: an answer to ${jobId}, which is nowhere`]
  const isUpheld = view.status === 'refunded' && view.disputeTx !== null
  if (view.status !== 'settled' && view.status !== 'disputed' && !isUpheld) {
    return [`${name}: an answer to ${jobId}, which is ${view.status}`]
  }
  const flaws: string[] = []
  if (view.proofHash !== outputHash(answer.text)) flaws.push('another proof than its answer')
  if (view.usage?.completionTokens !== answer.completionTokens) flaws.push('another usage')
  const { receipt } = answer
  if (receipt && !isUpheld && BigInt(receipt.credits_charged) !== view.charged) {
    flaws.push(`told a charge of ${receipt.credits_charged}, charged ${view.charged}`)
  }
  if (headers['x-svc-worker'] !== view.worker) flaws.push('told of another worker')
  if (receipt && receipt.worker !== view.worker) flaws.push('its receipt names another worker')
  return flaws.map((flaw) => `${name}: ${jobId}: ${flaw}`)
}

/** Told that its answer is there and paid for, or that nobody can tell what became of the job. */
const mayBePaid = ({ code, message }: ToldError): boolean =>
  code === 'answer_gone' || message.startsWith('What became of job')

/** Nobody pays for a job whose every caller was told that it had failed. */
function judgeRefused({ chats }: Witness, { view, memoryWasLost }: Verdicts): string[] {
  return grouped(chats, ({ jobId }) => jobId).flatMap(([jobId, tolds]) => {
    const allRefused = tolds.every(
      ({ end, answer }) => end === 'whole' && answer.error && !mayBePaid(answer.error),
    )
    if (!allRefused || memoryWasLost || !isCharged(view(jobId))) return []
    const codes = tolds.map(({ name, answer }) => `${name} ${answer.error?.code}`)
    return [`${jobId} is charged, and all that its callers were told is: ${codes.join(', ')}`]
  })
}

/** Of all jobs under one key at most one is paid, while the key is remembered. */
function judgeKeys({ chats }: Witness, verdicts: Verdicts): string[] {
  const { view, keyMs, clocksApartMs, memoryWasLost } = verdicts
  const keyOf = ({ key, wallet }: ToldChat) =>
    memoryWasLost && key?.startsWith(COUNTED) ? undefined : key && `${key} ${wallet}`
  return grouped(chats, keyOf).flatMap(([key, tolds]) => {
    const charged = [...new Set(tolds.flatMap(({ jobId }) => jobId ?? []))]
      .flatMap((jobId) => view(jobId) ?? [])
      .filter(isCharged)
      .sort((a, b) => a.createdAt - b.createdAt)
    const isAgain = charged.some(
      ({ createdAt }, n) => n > 0 && createdAt - charged[n - 1]!.createdAt < keyMs - clocksApartMs,
    )
    return isAgain ? [`key ${key} is charged for ${charged.map(({ id }) => id).join(', ')}`] : []
  })
}

function grouped<Key>(
  chats: readonly ToldChat[],
  keyOf: (told: ToldChat) => Key | undefined,
): [Key, ToldChat[]][] {
  const groups = new Map<Key, ToldChat[]>()
  for (const told of chats) {
    const key = keyOf(told)
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), told])
  }
  return [...groups]
}

function judgeDispute(told: ToldDispute, witness: Witness, verdicts: Verdicts): string[] {
  const { jobId, sent, body, status } = told
  const view = verdicts.view(jobId)
  if (body === undefined) return []
  const about = `${told.name}: dispute of ${jobId}`
  if (!view) return [`${about}, which is nowhere`]
  if (view.status === 'failed' && verdicts.wasUndone(view)) return []
  if (status === 200 && !body.dispute_opened) {
    return view.proofHash === sent ? [] : [`${about}: told that the hashes agree`]
  }
  if (status === 200) return judgeOpened(told, view, verdicts).map((flaw) => `${about}: ${flaw}`)
  if (body.error?.code === 'dispute_already_open') {
    if (isOfWallet(view, verdicts)) return []
    const others = witness.disputes.filter((other) => other.jobId === jobId && other !== told)
    return others.length > 0 ? [] : [`${about}: told that another is open`]
  }
  if (body.error?.code !== 'dispute_window_expired' || view.completedAt === null) return []
  const surelyInTime = addMs(view.completedAt, verdicts.disputeWindowMs - verdicts.clocksApartMs)
  // It was decided before it was told.
  return told.endedAt < surelyInTime ? [`${about}: told that it is too late, in time`] : []
}

/** Its wallet went to the contract itself. */
const isOfWallet = ({ disputeTx }: JobView, { callOf }: Verdicts): boolean =>
  disputeTx !== null && callOf?.(disputeTx)?.type === 'openDispute'

function judgeOpened({ askedAt, sent }: ToldDispute, view: JobView, verdicts: Verdicts): string[] {
  const { completedAt, disputeTx, disputedHash } = view
  const { contractMayRefuse, disputeWindowMs, clocksApartMs } = verdicts
  const flaws: string[] = []
  if (disputeTx === null && !contractMayRefuse) flaws.push('told opened, and is not')
  if (disputeTx !== null && disputedHash !== sent && !isOfWallet(view, verdicts))
    flaws.push(`opened for ${disputedHash}`)
  if (completedAt !== null && askedAt > addMs(completedAt, disputeWindowMs + clocksApartMs)) {
    flaws.push('told opened, and it was too late')
  }
  return flaws
}
