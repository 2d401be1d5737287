/**
 * Small shared records with compare-and-set: who owns what, API keys, settings.
 * Each may throw {RegistryUnanswered}; of a write it leaves open whether it was made.
 */
export interface Registry {
  get(key: string): Promise<RegistryEntry | undefined>
  /** Creates (revision 0) or replaces exactly `revision`. @returns the new revision or `conflict` */
  put(key: string, value: unknown, revision: number): Promise<number | 'conflict'>
  /** Writes whatever is there. */
  set(key: string, value: unknown): Promise<void>
  /** Whatever is there, or exactly `revision`. */
  delete(key: string, revision?: number): Promise<'deleted' | 'conflict'>
  /** Each entry now and each change from now on (`value` undefined: deleted); ends with `stop`. */
  watch(
    filter: string,
    each: (key: string, entry: RegistryEntry | undefined) => void,
    options?: WatchOptions,
  ): Promise<() => void>
}

export interface WatchOptions {
  /** What there is now is not told. */
  readonly updatesOnly?: boolean
  /**
   * The watch has ended by itself, and is opened anew. What changes until then is told late: all that there is
   * is told then.
   */
  readonly broken?: () => void
}

export interface RegistryEntry {
  readonly value: unknown
  readonly revision: number
}

/** The store does not answer now, and will again. */
export class RegistryUnanswered extends Error {
  constructor(bucket: string, cause: unknown) {
    super(`bucket ${bucket} does not answer`, { cause })
  }
}
