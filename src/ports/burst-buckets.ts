/**
 * The token buckets of callers' addresses, shared by all edges. Each edge decides for itself and
 * brings the buckets up to date in the background.
 */
export interface BurstBuckets {
  /**
   * Takes what was consumed since the last time.
   * @param consumed requests by address
   * @returns what each of these buckets holds now; below 0 where edges gave more than there was
   */
  settle(consumed: ReadonlyMap<string, number>, terms: BurstTerms): Promise<readonly number[]>
}

export interface BurstTerms {
  /** Requests a second that an address may go on with. */
  readonly perSecond: number
  /** Requests at once that an address may begin with. */
  readonly burst: number
}
