import type { Address } from '../../domain/ids.ts'
import { keepNewest } from '../../domain/newest.ts'
import { addMs, toUnixMs, type UnixMs } from '../../domain/time.ts'
import type { Applicant } from './admissions.ts'

/** A canary job that has not been passed yet. */
export interface Retry {
  readonly software: string
  readonly failures: number
  /** Not before then. */
  readonly nextAt: UnixMs
  /** What was wrong with the last one, for the operator; empty where nothing was. */
  readonly why: string
}

const FAILED = { firstMs: 5_000, mostMs: 120_000 } as const
/** Where the worker had no time for it. */
const SOON_MS = 2_000
const KEPT_MOST = 20_000

/** When which canary job is due again. It outlives the connection: dialling anew wipes nothing. */
export class Retries {
  private readonly kept = new Map<string, Retry>()

  /** Undefined: due, and nothing is known. Other software may do better. */
  of({ address, software }: Applicant, model: string): Retry | undefined {
    const retry = this.kept.get(keyOf(address, model))
    return retry?.software === software ? retry : undefined
  }

  isDue(applicant: Applicant, model: string, at: UnixMs): boolean {
    return (this.of(applicant, model)?.nextAt ?? toUnixMs(0)) <= at
  }

  failed(applicant: Applicant, model: string, why: string, at: UnixMs): Retry {
    const failures = (this.of(applicant, model)?.failures ?? 0) + 1
    const spanMs = Math.min(FAILED.firstMs * 2 ** (failures - 1), FAILED.mostMs)
    return this.keep(applicant, model, { failures, nextAt: addMs(at, spanMs), why })
  }

  /** It has shown nothing, and nothing is held against it. */
  soon(applicant: Applicant, model: string, at: UnixMs): void {
    const { failures = 0, why = '' } = this.of(applicant, model) ?? {}
    this.keep(applicant, model, { failures, nextAt: addMs(at, SOON_MS), why })
  }

  passed({ address }: Applicant, model: string): void {
    this.kept.delete(keyOf(address, model))
  }

  private keep(
    { address, software }: Applicant,
    model: string,
    retry: Omit<Retry, 'software'>,
  ): Retry {
    const kept = { ...retry, software }
    keepNewest(this.kept, keyOf(address, model), kept, KEPT_MOST)
    return kept
  }
}

const keyOf = (address: Address, model: string): string => `${address} ${model}`
