import { addMs, type DurationMs, toUnixMs, type UnixMs } from '../domain/time.ts'

/**
 * Which models a worker has shown to serve, by canary jobs. Bucket ADMITTED, key: its address. What
 * is kept here spares a worker that dials another pool the same canary jobs again.
 */
export interface AdmissionRecord {
  /** Agent and engine as they were: others have shown nothing yet. */
  readonly software: string
  /** When each model was last known to be served. */
  readonly models: Readonly<Record<string, UnixMs>>
}

/** For so long a worker need not show it again. */
export const ADMISSION_MS: DurationMs = 24 * 60 * 60 * 1_000

/** The models of the record that are still good for this software; none where it cannot be read. */
export function admittedModels(
  record: unknown,
  software: string,
  now: UnixMs,
): ReadonlyMap<string, UnixMs> {
  if (!isRecord(record) || record.software !== software) return new Map()
  return new Map(
    Object.entries(record.models).flatMap(([model, at]) =>
      // A clock of another pool that was ahead makes nothing last longer.
      at <= addMs(now, ADMISSION_MS) && addMs(toUnixMs(at), ADMISSION_MS) > now
        ? [[model, toUnixMs(at)] as const]
        : [],
    ),
  )
}

function isRecord(value: unknown): value is AdmissionRecord {
  const { software, models } = (value ?? {}) as Partial<AdmissionRecord>
  return (
    typeof software === 'string' &&
    typeof models === 'object' &&
    models !== null &&
    Object.values(models).every((at) => Number.isSafeInteger(at) && at >= 0)
  )
}
