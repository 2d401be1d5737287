import type { Journal, JournalRecord, StoredRecord } from '../../../src/ports/journal.ts'

/** A journal within one process, with the real one's compare-and-set. */
export class MemoryJournal implements Journal {
  readonly records: StoredRecord[] = []
  /** Called after each append that won, before its writer hears of it. */
  onAppended: (record: StoredRecord) => void = () => {}

  async append(
    subject: string,
    expected: number,
    record: JournalRecord,
  ): Promise<number | 'conflict'> {
    await undefined
    if ((this.#last(subject)?.sequence ?? 0) !== expected) return 'conflict'
    const stored = { ...record, subject, sequence: this.records.length + 1 }
    this.records.push(stored)
    this.onAppended(stored)
    return stored.sequence
  }

  async last(subject: string): Promise<StoredRecord | undefined> {
    await undefined
    return this.#last(subject)
  }

  async read(from: number, each: (record: StoredRecord) => void): Promise<void> {
    for (const record of this.records) if (record.sequence >= from) each(record)
  }

  async lastSequence(): Promise<number> {
    return this.records.length
  }

  #last(subject: string): StoredRecord | undefined {
    return this.records.findLast((record) => record.subject === subject)
  }
}
