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
  /** Each record from sequence `from` on, oldest first, up to the present end. */
  read(from: number, each: (record: StoredRecord) => void): Promise<void>
  /** The sequence of the newest record of the stream, 0 when it is empty. */
  lastSequence(): Promise<number>
}

/** A journal as who keeps a copy of it reads it. */
export interface JournalReader {
  /** Sequences of the oldest and the newest record; in an empty journal the newest is the lower. */
  bounds(): Promise<{ readonly oldest: number; readonly newest: number }>
  /**
   * From sequence `from` to the present end, some records at a time, the next once `each` has
   * resolved. Of the records of one subject that come together only the newest is handed over.
   */
  read(from: number, each: (records: readonly StoredRecord[]) => Promise<void>): Promise<void>
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
