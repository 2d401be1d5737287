import type { Address, Hex32 } from '../../../src/domain/ids.ts'
import type { JobView } from '../../../src/messages/job-view.ts'
import { isOfJob, type Kind, type Receipts } from '../callers/judge-receipts.ts'

/** As the chain has it in the end. */
export interface Deposit {
  readonly wallet: Address
  readonly tx: Hex32
  readonly credits: bigint
  /** It came once there were webhooks: they are to hear of it. */
  readonly isDue: boolean
}

export interface Told {
  readonly id: string
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface Contents extends Pick<Receipts, 'callOf'> {
  /** The chain may have paid for the failed job, and has gone back behind that for good. */
  wasUndone(view: JobView): boolean
}

const KINDS: Readonly<Record<string, Kind>> = {
  escrow_tx: 'locks',
  settlement_tx: 'settles',
  refund_tx: 'refunds',
  dispute_tx: 'disputes',
}

/** What an event says of the job that it is about: the transactions are of the job, and the money is what was paid. */
export function judgeContents(
  { event, data }: Told,
  view: JobView,
  { callOf, wasUndone }: Contents,
): readonly string[] {
  const flaws: string[] = []
  const onChain = (data.on_chain ?? {}) as Told['data']
  for (const [name, kind] of Object.entries(KINDS)) {
    const tx = data[name] ?? onChain[name]
    if (!callOf || tx === undefined || tx === null) continue
    if (!isOfJob(callOf(tx as Hex32), kind, view.id)) flaws.push(`${name} ${tx} is none of it`)
  }
  const demand = (name: string, right: unknown) => {
    if (data[name] !== right) flaws.push(`${name} is ${data[name]}, not ${right}`)
  }
  if (event === 'job.completed' && !wasUndone(view)) {
    const isUpheld = view.status === 'refunded'
    if (!isUpheld) demand('credits_charged', Number(view.charged))
    demand('worker_address', view.worker)
    demand('completion_tokens', view.usage?.completionTokens)
    if (!data.settlement_tx) flaws.push('it names no settlement')
  }
  const isBack = event === 'job.failed' || event === 'job.timeout'
  if (isBack) demand('credits_charged', 0)
  if (isBack && onChain.escrow_tx && !data.refund_tx) flaws.push('it names no refund')
  if (event === 'job.disputed' && !data.dispute_tx) flaws.push('it names no dispute')
  return flaws
}

/** Each deposit is told of, once; and nothing else, unless the chain has gone back. */
export function judgeTopups(
  told: readonly Told[],
  deposits: readonly Deposit[],
  hasGoneBack: boolean,
): readonly string[] {
  const topups = new Map<string, Told['data']>()
  for (const { id, event, data } of told) if (event === 'credit.topup') topups.set(id, data)
  const left = [...topups.values()]
  const missed = deposits.filter(({ tx, credits, isDue }) => {
    const found = left.findIndex((data) => data.tx === tx && data.credits_added === Number(credits))
    if (found >= 0) left.splice(found, 1)
    return found < 0 && isDue
  })
  return [
    ...missed.map(({ tx }) => `never heard of the deposit ${tx}`),
    ...(hasGoneBack ? [] : left.map(({ tx }) => `credit.topup of ${tx}, which is no deposit`)),
  ]
}
