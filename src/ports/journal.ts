/** An append-only record a subject, guarded by compare-and-set on the subject's last sequence. */
export interface Journal {
  /**
   * Appends when the subject's last sequence is `expected` (0: the subject is new).
   * Repeats on a time-out; on a refusal reads the last record, and where it carries this very
   * `token` the append did win.
   * @returns the new sequence, or `conflict`: somebody else writes here
   */
  append(subject: string, expected: number, record: JournalRecord): Promise<number | 'conflict'>
  last(subject: string): Promise<StoredRecord | undefined>
  /** Each record under `filter` from sequence `from` on, oldest first, up to the present end. */
  read(filter: string, from: number, each: (record: StoredRecord) => void): Promise<void>
  /** The sequence of the newest record of the stream, 0 when it is empty. */
  lastSequence(): Promise<number>
}

export interface JournalRecord {
  /** Unique to this append: host and counter. */
  readonly token: string
  readonly body: unknown
}

export interface StoredRecord extends JournalRecord {
  readonly subject: string
  readonly sequence: number
}
