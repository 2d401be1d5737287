declare const unixMs: unique symbol
/** A moment: milliseconds since the Unix epoch. */
export type UnixMs = number & { readonly [unixMs]: true }

/** A span in milliseconds. */
export type DurationMs = number

export const toUnixMs = (ms: number): UnixMs => ms as UnixMs
export const addMs = (at: UnixMs, span: DurationMs): UnixMs => (at + span) as UnixMs
export const unixSeconds = (at: UnixMs): number => Math.floor(at / 1000)

/** ISO 8601 in UTC, the form of every public timestamp that is not said to be Unix seconds. */
export const isoTimestamp = (at: UnixMs): string => new Date(at).toISOString()
