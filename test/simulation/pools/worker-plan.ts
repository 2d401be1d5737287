import type { Random } from '../world.ts'

/** What a worker is like. */
export type WorkerKind =
  | 'honest'
  /** Its first text is late, sometimes later than the job's window is long. */
  | 'slow'
  /** Some of its proofs are wrong, or its text is not what it should be. */
  | 'lying'
  /** Its stream breaks in the middle of answers; it comes back, or not for long. */
  | 'vanishing'
  /** Says things twice, and now and then signs two answers of one job. */
  | 'duplicating'
  | 'refusing'
  /** Leaves after a few jobs, in good order, and comes again. */
  | 'draining'

const KINDS: readonly WorkerKind[] = [
  'honest',
  'honest',
  'honest',
  'slow',
  'lying',
  'vanishing',
  'duplicating',
  'refusing',
  'draining',
]

/** At least one in a life is honest, so that most jobs have somebody to end them. */
export const kindsOf = (random: Random, count: number): readonly WorkerKind[] =>
  Array.from({ length: count }, (_, i) => (i === 0 ? 'honest' : random.pick(KINDS)))

export type Lie =
  | 'hash'
  | 'signature'
  | 'other_job'
  | 'tokens'
  | 'chunks'
  | 'clock'
  | 'malformed'
  | 'gap'
  | 'unaccepted'

const LIES: readonly Lie[] = [
  'hash',
  'signature',
  'other_job',
  'tokens',
  'chunks',
  'clock',
  'malformed',
  'gap',
  'unaccepted',
]

/** How a worker goes about one job. */
export interface JobPlan {
  readonly refuses: boolean
  readonly fails: 'no' | 'engine' | 'overloaded'
  readonly firstMs: number
  readonly pieceMs: number
  readonly pieces: number
  readonly lie: Lie | undefined
  /** After so many pieces its stream breaks; undefined: it does not. */
  readonly breaksAfter: number | undefined
  /** Says its completion again; `other`: and a second one that says something else. */
  readonly again: 'no' | 'same' | 'other'
  readonly repeatsPiece: boolean
}

const FAILURES = ['engine', 'overloaded'] as const

/** Some windows are 120 s long: these are later. */
const TOO_LATE_MS = 125_000

export function planJob(kind: WorkerKind, random: Random): JobPlan {
  const pieces = random.between(0, 5)
  const slow = kind === 'slow' ? random.between(2_500, 20_000) : random.between(5, 400)
  return {
    refuses: kind === 'refusing' && random.chance(0.6),
    fails: kind !== 'honest' && random.chance(0.05) ? FAILURES[slow % 2]! : 'no',
    firstMs: kind === 'slow' && random.chance(0.15) ? TOO_LATE_MS : slow,
    pieceMs: kind === 'slow' ? random.between(50, 4_000) : random.between(1, 300),
    pieces,
    lie: kind === 'lying' && random.chance(0.7) ? random.pick(LIES) : undefined,
    breaksAfter: kind === 'vanishing' && random.chance(0.5) ? random.between(0, pieces) : undefined,
    again: kind === 'duplicating' ? random.pick(['no', 'same', 'same', 'other'] as const) : 'no',
    repeatsPiece: kind === 'duplicating' && random.chance(0.3),
  }
}

/** Whoever lies or fails does so less where nobody pays: else it would never be paid. */
export function planCanary(kind: WorkerKind, random: Random): JobPlan {
  const plan = planJob(kind, random)
  const isPlain = kind === 'honest' || random.chance(0.7)
  const quick = { firstMs: random.between(5, 40), pieceMs: random.between(1, 10) }
  const pace = kind === 'slow' ? {} : quick
  // An answer without a word shows nothing.
  const pieces = isPlain ? random.between(1, 2) : plan.pieces
  const fails = !isPlain && random.chance(0.3) ? 'engine' : 'no'
  return { ...plan, ...pace, pieces, fails, lie: isPlain ? undefined : plan.lie }
}
