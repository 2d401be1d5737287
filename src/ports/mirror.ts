/** All entries of a bucket, in memory, as last heard. */
export interface Mirror<Value> {
  /** False at start, and after a cut, until every entry was heard again: what is there may be old. */
  readonly whole: boolean
  /** Resolves once it is whole; at once where it is. */
  untilWhole(): Promise<void>
  get(key: string): Value | undefined
  entries(): Iterable<readonly [key: string, value: Value]>
  stop(): void
}
