import type { Address } from '../../domain/ids.ts'
import { median } from '../../domain/median.ts'
import { trim } from '../../domain/newest.ts'
import { toUnixMs, type UnixMs } from '../../domain/time.ts'

/**
 * How a worker left a job.
 * - `finished`: proven.
 * - `failed`: the worker's own fault, like an engine that broke.
 * - `broke`: it broke the rules, like a false proof.
 * - `busy`, `silent`: it, or its engine, had no room for a job, or it did not answer an offer.
 * - `declined`, `neutral`: nobody's merit and nobody's fault; `declined` is a refusal for a good reason.
 */
export type Outcome = 'finished' | 'failed' | 'broke' | 'busy' | 'silent' | 'declined' | 'neutral'

/** What a worker has shown. It outlives the connection, so that dialling anew does not wipe it. */
export interface Conduct {
  /** Gets no job before this moment: it refused, kept silent or failed of late. */
  restUntil: UnixMs
  /** Why it rests, or rested last. */
  restBecause: Outcome | null
  /** Of the last failure or breach, for the operator. */
  why: string
  failuresInRow: number
  /** How often in a row it left offers unanswered, those of one moment together. */
  silences: number
  /** How often in a row it refused offers for want of a slot that it had, those of one moment together. */
  refusals: number
  /** Whose jobs they were. */
  readonly failedFor: Set<Address>
  /** After a rest for its own fault: one job at a time, until one is finished. */
  onProbation: boolean
  breaches: number
  /** Wallets whose jobs it is kept from, oldest first. */
  readonly setAside: Map<Address, SetAside>
  /** By model: a small model answers sooner than a large one on the same machine. */
  readonly firstTokens: Map<string, FirstTokens>
  /** Whether each of the last jobs was finished, newest last. */
  readonly outcomes: boolean[]
}

export interface SetAside {
  readonly failuresInRow: number
  readonly until: UnixMs
}

export interface FirstTokens {
  /** Of the last jobs, newest last. */
  readonly lastMs: number[]
  readonly medianMs: number
}

export const unknownConduct = (): Conduct => ({
  restUntil: toUnixMs(0),
  restBecause: null,
  why: '',
  failuresInRow: 0,
  silences: 0,
  refusals: 0,
  failedFor: new Set(),
  onProbation: false,
  breaches: 0,
  setAside: new Map(),
  firstTokens: new Map(),
  outcomes: [],
})

const REMEMBERED_JOBS = 32
const SET_ASIDE_MOST = 64
const BUSY_REST = { firstMs: 250, mostMs: 8_000 } as const
const SILENT_REST = { firstMs: 2_000, mostMs: 60_000 } as const
const FAILURE_REST = { firstMs: 250, mostMs: 60_000 } as const
/** Shorter: an engine that breaks by itself costs one caller a try, who might find nobody else. */
const SET_ASIDE = { firstMs: 250, mostMs: 8_000 } as const
const BREACH_REST = { firstMs: 10_000, mostMs: 600_000 } as const

/** Whether it gets no job of this wallet now. */
export const rests = (conduct: Conduct, wallet: Address, at: UnixMs): boolean =>
  conduct.restUntil > at || (conduct.setAside.get(wallet)?.until ?? 0) > at

export interface JobEnd {
  readonly outcome: Outcome
  /** Whose job it was. */
  readonly wallet: Address
  /** What went wrong, for the operator. */
  readonly why: string
  readonly at: UnixMs
}

/** Changes `conduct` in place by the end of one job. */
export function judge(conduct: Conduct, end: JobEnd): void {
  switch (end.outcome) {
    case 'finished':
      remember(conduct.outcomes, true)
      judgeFinished(conduct, end.wallet)
      return
    case 'failed':
      remember(conduct.outcomes, false)
      judgeFailed(conduct, end)
      return
    case 'broke':
      remember(conduct.outcomes, false)
      blame(conduct, end)
      return
    case 'busy':
      // It may work for another pool as well, and then soon finishes a job; one that never does costs callers a way.
      restLonger(conduct, end, 'refusals', BUSY_REST)
      return
    case 'silent':
      // It was quick once, and would be asked first for ever.
      restLonger(conduct, end, 'silences', SILENT_REST)
      return
    case 'declined':
    case 'neutral':
      return
  }
}

/** A copy of `conduct` as this end will leave it. */
export function judged(conduct: Conduct, end: JobEnd): Conduct {
  const copy: Conduct = {
    ...conduct,
    failedFor: new Set(conduct.failedFor),
    setAside: new Map(conduct.setAside),
    outcomes: [...conduct.outcomes],
  }
  judge(copy, end)
  return copy
}

/** A good answer makes up for failures, and not for a breach of the rules. */
function judgeFinished(conduct: Conduct, wallet: Address): void {
  conduct.failuresInRow = 0
  conduct.silences = 0
  conduct.refusals = 0
  conduct.failedFor.clear()
  conduct.setAside.delete(wallet)
  conduct.onProbation = false
  if (conduct.restBecause !== 'broke') conduct.restUntil = toUnixMs(0)
}

/**
 * A worker that fails at once always looks the least loaded and would draw in every job, so it
 * rests. But a caller's prompt may be what breaks engines, and must not bench one worker after the
 * other: while all failures in a row are of one wallet, the worker is kept from that wallet alone. One
 * failure alone may be the job's doing and costs nothing.
 */
function judgeFailed(conduct: Conduct, end: JobEnd): void {
  const { wallet, at } = end
  conduct.failuresInRow++
  conduct.failedFor.add(wallet)
  if (conduct.failedFor.size > 1) {
    conduct.onProbation = true
    rest(conduct, end, doubled(FAILURE_REST, conduct.failuresInRow - 1))
    return
  }
  const failuresInRow = (conduct.setAside.get(wallet)?.failuresInRow ?? 0) + 1
  const spanMs = failuresInRow > 1 ? doubled(SET_ASIDE, failuresInRow - 1) : 0
  conduct.why = end.why
  conduct.setAside.delete(wallet)
  conduct.setAside.set(wallet, { failuresInRow, until: toUnixMs(at + spanMs) })
  trim(conduct.setAside, SET_ASIDE_MOST)
}

/** It took no offer. What it was offered before the first such answer is known is one with it. */
function restLonger(
  conduct: Conduct,
  end: JobEnd,
  inRow: 'silences' | 'refusals',
  span: Parameters<typeof doubled>[0],
): void {
  if (conduct.restUntil <= end.at) conduct[inRow]++
  rest(conduct, end, doubled(span, Math.max(1, conduct[inRow])))
}

/**
 * Its stream broke in the middle of jobs, and it was not back in time. Each job counts in its share;
 * together they are one failure, however many it ran, since one engine that dies takes them all along.
 */
export function judgeLost(
  conduct: Conduct,
  { wallets, why, at }: { readonly wallets: readonly Address[] } & Pick<JobEnd, 'why' | 'at'>,
): void {
  const [wallet, ...others] = wallets
  if (wallet === undefined) return
  for (const _ of wallets) remember(conduct.outcomes, false)
  // The first in a row may be the network's doing, and costs nothing more.
  if (conduct.failuresInRow > 0) for (const other of others) conduct.failedFor.add(other)
  judgeFailed(conduct, { outcome: 'failed', wallet, why, at })
}

/** It broke the rules, which costs more than a failure, and from the first time. */
export function blame(conduct: Conduct, { why, at }: Pick<JobEnd, 'why' | 'at'>): void {
  conduct.breaches++
  conduct.onProbation = true
  rest(conduct, { outcome: 'broke', why, at }, doubled(BREACH_REST, conduct.breaches))
}

function rest(
  conduct: Conduct,
  { outcome, why, at }: Omit<JobEnd, 'wallet'>,
  spanMs: number,
): void {
  const until = toUnixMs(at + spanMs)
  if (until < conduct.restUntil) return
  conduct.restUntil = until
  conduct.restBecause = outcome
  conduct.why = why
}

/** @param times from 1 */
const doubled = ({ firstMs, mostMs }: { firstMs: number; mostMs: number }, times: number): number =>
  Math.min(firstMs * 2 ** (times - 1), mostMs)

export function rememberFirstToken({ firstTokens }: Conduct, model: string, ms: number): void {
  const lastMs = firstTokens.get(model)?.lastMs ?? []
  remember(lastMs, ms)
  // Here and not in each summary, which has all workers to go through.
  firstTokens.set(model, { lastMs, medianMs: median(lastMs) ?? ms })
}

function remember<Item>(items: Item[], item: Item): void {
  items.push(item)
  if (items.length > REMEMBERED_JOBS) items.shift()
}
