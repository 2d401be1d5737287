import type { Address, Hex32, JobId } from '../../../src/domain/ids.ts'
import type { UnixMs } from '../../../src/domain/time.ts'
import type { ExchangeEnd } from './exchange.ts'
import type { ReadAnswer } from './read-answer.ts'

/** Before what tries have in common that are counted: Redis alone knows them. */
export const COUNTED = 'tries of '

/** What one chat request was truly told. */
export interface ToldChat {
  readonly name: string
  /** Who asked, in this try and in others. */
  readonly caller: string
  readonly wallet: Address
  readonly edge: string
  /** Its Idempotency-Key, or what tries that are counted have in common; undefined: each of them may be paid for. */
  readonly key: string | undefined
  readonly jobId: JobId | undefined
  readonly end: ExchangeEnd
  /** Undefined: no head of an answer came. */
  readonly status: number | undefined
  /** With the trailers. */
  readonly headers: Readonly<Record<string, unknown>>
  readonly answer: ReadAnswer
  readonly askedAt: UnixMs
  readonly at: UnixMs
}

export interface ToldDispute {
  readonly name: string
  readonly wallet: Address
  readonly jobId: JobId
  readonly sent: Hex32
  readonly askedAt: UnixMs
  readonly endedAt: UnixMs
  readonly end: ExchangeEnd
  readonly status: number | undefined
  readonly body: DisputeAnswer | undefined
}

export interface DisputeAnswer {
  readonly dispute_opened?: boolean
  readonly dispute_tx?: string | null
  readonly error?: { readonly code: string }
}

/** Notes what callers were told and what workers signed, to be held against the end of the world. */
export class Witness {
  readonly chats: ToldChat[] = []
  readonly disputes: ToldDispute[] = []
  /** By job: what workers proved as its whole answer, the later ones of lost attempts included. */
  readonly signed = new Map<string, Set<string>>()
  /** All jobs that any edge has taken on, told or not. */
  readonly jobs = new Set<JobId>()
  readonly #onceSigned: (() => void)[] = []

  noteSigned(jobId: string, text: string): void {
    const texts = this.signed.get(jobId) ?? new Set()
    this.signed.set(jobId, texts.add(text))
    for (const call of this.#onceSigned.splice(0)) call()
  }

  /** Calls once, when a worker has signed an answer. */
  onNextSigned(call: () => void): void {
    this.#onceSigned.push(call)
  }
}
