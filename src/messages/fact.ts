import { createHash } from 'node:crypto'
import { type Credits, usdgValue } from '../domain/credits.ts'
import type { Address, JobId, TxHash } from '../domain/ids.ts'
import type { UnixMs } from '../domain/time.ts'
import type { PublicJob } from './public-job.ts'

/**
 * What happened to a wallet or a worker, for whoever tells the world outside (stream FACT). Told at
 * least once: a repeat has the same id, so that a reader can pass it over. `data` has its public form
 * here, so that everybody is told the same, whenever they ask.
 */
export type Fact = WalletFact | WorkerFact
export type WalletFact = CreditFact | JobFact
export type CreditFact = CreditTopup | CreditLow
/** Of no wallet: everybody who asks for it is told. */
export type WorkerFact = WorkerRegistered | WorkerSlashed

interface Told<Type extends string, Data> {
  /** `evt_` and 32 hexadecimal digits, made of what happened and not of who tells it. */
  readonly id: string
  readonly type: Type
  readonly at: UnixMs
  readonly data: Data
}

interface FactOf<Type extends string, Data> extends Told<Type, Data> {
  readonly wallet: Address
}

interface WorkerFactOf<Type extends string, Data> extends Told<Type, Data> {
  readonly worker: Address
}

/** The balance received new credits. `at` is the time of the block. */
export type CreditTopup = FactOf<
  'credit.topup',
  {
    readonly credits_added: number
    /** When it was told: what the wallet could spend, locks and reservations excluded. */
    readonly credits_remaining: number
    /** Of `credits_remaining`, in payment-token units. */
    readonly usdg_value: number
    readonly tx: TxHash
    readonly block_number: number
  }
>

/** The balance dropped under the threshold that the wallet has set. */
export type CreditLow = FactOf<
  'credit.low',
  {
    readonly credits_remaining: number
    /** Of `credits_remaining`, in payment-token units. */
    readonly usdg_value: number
    /** Credits. */
    readonly threshold: number
  }
>

/** What happened to a job. All but `job.completed` show the job as it was then. */
export type JobFact = JobCompleted | JobMoved | JobFailed | JobTimeout | JobDisputed

/** Settlement is confirmed and the worker paid: `data` as the specification has it. */
export type JobCompleted = FactOf<
  'job.completed',
  Pick<PublicJob, 'model' | 'tier' | 'credits_charged' | 'usdg_value' | 'worker_address'> &
    JobNames & {
      /** When it was told: what the wallet could spend, locks and reservations excluded. */
      readonly credits_remaining: number
    }
>

/** Its credits sit in escrow; a first worker took it. */
export type JobMoved = FactOf<'job.submitted' | 'job.processing', JobData>

/** All credits are back, or there never was a lock: then `refund_tx` is null. */
export type JobFailed = FactOf<
  'job.failed',
  JobData & { readonly reason: string; readonly refund_tx: TxHash | null }
>

export type JobTimeout = FactOf<'job.timeout', JobData & { readonly refund_tx: TxHash | null }>

/** The dispute is on chain. */
export type JobDisputed = FactOf<
  'job.disputed',
  JobData & {
    readonly dispute_tx: TxHash | null
    /** `sha256:<hex>`, both. */
    readonly your_hash: string | null
    readonly worker_hash: string | null
  }
>

/** The names that job.completed has in common with the job's own, as it has them. */
export interface JobNames {
  readonly job_id: JobId
  readonly settlement_tx: TxHash | null
  readonly block_number: number | null
  readonly prompt_tokens: number | null
  readonly completion_tokens: number | null
}
export type JobData = PublicJob & JobNames

/** A worker is registered on chain, and a pool has welcomed it for the first time. */
export type WorkerRegistered = WorkerFactOf<
  'worker.registered',
  {
    readonly worker_address: Address
    /** Ids of the models that it offers and the catalogue lists. */
    readonly models: readonly string[]
    /** As its operator calls it. */
    readonly region: string
  }
>

/** A worker lost stake. `at` is the time of the block. */
export type WorkerSlashed = WorkerFactOf<
  'worker.slashed',
  {
    readonly worker_address: Address
    /** Whole tokens, rounded down. */
    readonly slash_amount_rcompute: number
    readonly slash_tx: TxHash
    /** `fraudulent_proof`, `equivocation`. */
    readonly reason: string
    readonly related_job_id: string
  }
>

/** Where on chain a fact comes from, in words that outlive a reorg: neither block nor log index. */
export interface FactOrigin {
  readonly wallet: Address
  readonly tx: TxHash
  /** How many logs of the same kind and wallet came before it in that transaction. */
  readonly place: number
  /** Of `credit.low`: how often the wallet was low before and above again. None when left out. */
  readonly returns?: number
}

export const factId = (
  type: CreditFact['type'],
  { wallet, tx, place, returns = 0 }: FactOrigin,
): string => idOf([type, wallet, tx, place, ...(returns ? [returns] : [])].join(' '))

/** @param place how many slashings of that worker came before it in that transaction */
export const slashedId = (worker: Address, tx: TxHash, place: number): string =>
  idOf(`worker.slashed ${worker} ${tx} ${place}`)

/** @param network the contract that the worker is registered with, and its chain */
export const registeredId = (worker: Address, network: string): string =>
  idOf(`worker.registered ${worker} ${network}`)

export const jobFactId = (type: JobFact['type'], jobId: JobId): string => idOf(`${type} ${jobId}`)

const idOf = (words: string): string =>
  `evt_${createHash('sha256').update(words).digest('hex').slice(0, 32)}`

export const balanceData = (remaining: Credits) => ({
  credits_remaining: Number(remaining),
  usdg_value: usdgValue(remaining),
})
