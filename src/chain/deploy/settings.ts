import { type Address, toAddress } from '../../domain/ids.ts'

const DAY = 86_400n

export interface Term {
  readonly default: bigint
  /** What an operator may ask for. The contracts themselves take more. */
  readonly min: bigint
  readonly max: bigint
  readonly unit: string
  readonly what: string
}

/** What is fixed, or begins, with a deployment, and is the operator's to choose. */
export const TERMS = {
  expirySeconds: {
    ...{ default: 180n, min: 180n, max: 3_600n, unit: 'seconds' },
    what: "from a lock until anyone may take it back; the service's job window ends before",
  },
  disputeSeconds: {
    ...{ default: 600n, min: 600n, max: DAY, unit: 'seconds' },
    what: 'from a settlement until no dispute can be opened; earnings are held for one to two of it',
  },
  arbitrationSeconds: {
    // With the window before it shorter than 7 days, after which stake may have left.
    ...{ default: DAY, min: 3_600n, max: 5n * DAY, unit: 'seconds' },
    what: 'from a dispute until anyone may end it, for the worker',
  },
  thawSeconds: {
    ...{ default: 300n, min: 60n, max: DAY, unit: 'seconds' },
    what: 'from a withdrawal that nobody has to agree to until it can be taken out',
  },
  settleCapPerHour: {
    // A million USDG, and about what one chain can settle in an hour.
    ...{ default: 100_000_000n, min: 10_000n, max: 100_000_000_000n, unit: 'credits' },
    what: 'the most that settlements may ever charge in an hour; the admin can lower it',
  },
  computeSupply: {
    // At most 2^96 - 1 units of 18 decimals.
    ...{ default: 1_000_000_000n, min: 1_000_000n, max: 79_000_000_000n, unit: 'RCOMPUTE' },
    what: 'supply of the governance token, all of which the treasury receives',
  },
  minimumStake: {
    ...{ default: 1_000n, min: 1n, max: 1_000_000n, unit: 'RCOMPUTE' },
    what: 'active stake from which a worker earns 85 % instead of 75 %',
  },
  slashBps: {
    ...{ default: 1_000n, min: 1n, max: 10_000n, unit: 'basis points' },
    what: 'part of its stake that one fault costs a worker',
  },
  votingDelaySeconds: {
    ...{ default: DAY, min: 3_600n, max: 7n * DAY, unit: 'seconds' },
    what: 'from a proposal until votes are counted',
  },
  votingPeriodSeconds: {
    ...{ default: 7n * DAY, min: DAY, max: 14n * DAY, unit: 'seconds' },
    what: 'how long votes are taken',
  },
  timelockSeconds: {
    ...{ default: 2n * DAY, min: DAY, max: 8n * DAY, unit: 'seconds' },
    what: 'from the queueing of what passed until anyone may execute it',
  },
  proposalThreshold: {
    ...{ default: 1_000_000n, min: 1n, max: 10_000_000n, unit: 'RCOMPUTE' },
    what: 'votes that a proposer needs',
  },
  quorumPercent: {
    ...{ default: 4n, min: 1n, max: 50n, unit: 'percent' },
    what: 'part of the supply that has to vote; staked tokens do not',
  },
  noticeSeconds: {
    // Longer than a vote with its timelock, so that a second vote can take the first one back.
    ...{ default: 30n * DAY, min: 30n * DAY, max: 365n * DAY, unit: 'seconds' },
    what: 'from the announcement of a retirement until the model is gone',
  },
} as const satisfies Record<string, Term>
export type TermName = keyof typeof TERMS
export type Terms = Readonly<Record<TermName, bigint>>
export const TERM_NAMES = Object.keys(TERMS) as TermName[]

export const defaultTerms = (): Terms =>
  Object.fromEntries(TERM_NAMES.map((name) => [name, TERMS[name].default])) as Terms

/** Whole tokens of 18 decimals, in units. */
export const computeUnits = (tokens: bigint): bigint => tokens * 10n ** 18n

/** Those who have to be named, and what they are for. */
export const HOLDERS = {
  treasury: 'receives its share of each job, and the whole governance token',
  locker: 'address of the key that locks (LOCKER_PRIVATE_KEY of the actors)',
  settler: 'address of the key that settles and refunds (SETTLER_PRIVATE_KEY of the actors)',
  withdrawalSigner: 'address of the key that signs vouchers; it sends nothing',
  pauser: 'may stop deposits and locks, and nothing else',
  arbiter: 'decides disputes; nobody who runs or earns by jobs',
} as const
export type HolderName = keyof typeof HOLDERS
export const HOLDER_NAMES = Object.keys(HOLDERS) as HolderName[]

/** Those who are the governor's timelock where nobody else is named. */
export const RULERS = {
  admin: "of the escrow: changes its operators' keys and lowers the cap of an hour",
  governance: 'of workers and models: names slashers and listers, retires models',
} as const
export type RulerName = keyof typeof RULERS
export const RULER_NAMES = Object.keys(RULERS) as RulerName[]

/** Those whom governance may name once all is deployed, besides whoever has the role from the beginning. */
export const NAMED_LATER = {
  lister: 'may list models',
  slasher: 'takes stake from convicted workers, besides the escrow',
} as const
export type NamedLater = keyof typeof NAMED_LATER
export const NAMED_LATER_NAMES = Object.keys(NAMED_LATER) as NamedLater[]
/** Who was named, by what for. A deployment itself names nobody. */
export type LaterHolders = Readonly<Partial<Record<NamedLater, readonly Address[]>>>

/** All that a deployment is asked for. */
export interface Settings
  extends Readonly<Record<HolderName, Address>>,
    Readonly<Record<RulerName, Address | 'timelock'>> {
  /** The payment token; `development` deploys a worthless one that anyone can mint. */
  readonly token: Address | 'development'
  readonly terms: Terms
}

/** The same as text by name, to be kept, compared and overridden. */
export type SettingsText = Readonly<Record<string, string>>

export function settingsText(settings: Settings): SettingsText {
  const named = ['token', ...HOLDER_NAMES, ...RULER_NAMES] as const
  return Object.fromEntries([
    ...named.map((name) => [name, settings[name]]),
    ...TERM_NAMES.map((name) => [name, `${settings.terms[name]}`]),
  ])
}

/** Reads back what `settingsText` wrote. */
export function settingsOf(text: SettingsText): Settings {
  const either = <Word extends string>(name: string, word: Word): Address | Word =>
    text[name] === word ? word : toAddress(text[name] ?? '')
  return {
    ...(Object.fromEntries(
      HOLDER_NAMES.map((name) => [name, toAddress(text[name] ?? '')]),
    ) as Record<HolderName, Address>),
    token: either('token', 'development'),
    admin: either('admin', 'timelock'),
    governance: either('governance', 'timelock'),
    terms: Object.fromEntries(
      TERM_NAMES.map((name) => [name, BigInt(text[name] ?? TERMS[name].default)]),
    ) as Terms,
  }
}
