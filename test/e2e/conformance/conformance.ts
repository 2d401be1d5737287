import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Tables, titlesOf } from './rows.ts'

/** Adds the test of one row. Rows run one after the other, in the order in which they are added. */
export type Row<T extends Tables> = <Table extends keyof T & string>(
  table: Table,
  row: T[Table][number],
  test: () => Promise<void> | void,
) => void

export interface Conformance<T extends Tables> {
  readonly row: Row<T>
  before(open: () => Promise<void>): void
  after(close: () => Promise<void>): void
  /** Call last: adds the test that no row was forgotten, and runs them all. */
  run(): void
}

const ROW_MS = 240_000

/** A suite that knows which rows it owes. @throws for a row that is not owed, or given twice */
export function conformance<const T extends Tables>(name: string, tables: T): Conformance<T> {
  const rows = suite(`conformance: ${name}`)
  const owed = new Set(titlesOf(tables))
  const added = new Set<string>()
  const ran = new Set<string>()
  return {
    row: (table, row, test) => {
      const title = `${table}: ${row}`
      if (!owed.has(title)) throw new Error(`${title} is no row of ${name}`)
      if (added.has(title)) throw new Error(`${title} has two tests`)
      added.add(title)
      rows(title, async () => {
        ran.add(title)
        await withDeadline(title, test)
      })
    },
    before: (open) =>
      rows.before(async () => {
        // A hook that fails is not shown by itself: every row would just be missing.
        await open().catch((error: unknown) => {
          process.stderr.write(`${name} cannot begin: ${String(error)}\n`)
          throw error
        })
      }),
    after: (close) => rows.after(close),
    run: () => {
      rows('every row has a test that ran', () => {
        const forgotten = [...owed].filter((title) => !ran.has(title))
        assert.equal(forgotten, [])
        process.stdout.write(`\n${ran.size} of ${owed.size} rows of ${name}\n`)
      })
      rows.run()
    },
  }
}

async function withDeadline(title: string, test: () => Promise<void> | void): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${title}: no end within ${ROW_MS} ms`)), ROW_MS)
  })
  await Promise.race([test(), late]).finally(() => clearTimeout(timer))
}

/** Made at its first use, then kept: rows that look at one answer share it. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
