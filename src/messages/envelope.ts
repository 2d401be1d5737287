import { isoTimestamp, type UnixMs } from '../domain/time.ts'

export interface EnvelopeContent {
  /** `evt_` and letters and digits. */
  readonly id: string
  readonly type: string
  /** When it happened. */
  readonly at: UnixMs
  readonly data: unknown
}

/**
 * What is sent of an event: JSON, to the byte the same whoever writes it
 * (specification, Events, Envelope).
 */
export const envelopeOf = ({ id, type, at, data }: EnvelopeContent, apiVersion: string): string =>
  JSON.stringify({
    id,
    event: type,
    created_at: isoTimestamp(at),
    api_version: apiVersion,
    data,
  })
