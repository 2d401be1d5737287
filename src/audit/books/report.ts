import { codeInWords } from '../chain/code.ts'
import { type Difference, nameOf } from './difference.ts'
import type { AuditLook } from './look.ts'
import type { Looked } from './look-twice.ts'
import { AMOUNTS, emptyWallet } from './wallet-book.ts'

/** The books as people read them: wallets, jobs by state, totals, differences by name. */
export function inWords(looked: Looked<AuditLook>): string {
  const { standing, moving, last } = looked
  const { held, owed, unasked } = last.tokens
  return [
    ...walletTable(last),
    '',
    ...jobTable(last),
    '',
    `escrow: holds ${held} token units, owes ${owed}${unasked > 0n ? `; ${unasked} came unasked` : ''}`,
    `code: ${codeInWords(last.code)}`,
    `moving: ${moving}`,
    ...differenceLines(standing),
    '',
    standing.length === 0 ? 'The books are right.' : 'The books are wrong.',
    '',
  ].join('\n')
}

function walletTable({ books }: AuditLook): string[] {
  const rows = [...books.wallets].sort(([a], [b]) => (a < b ? -1 : 1))
  const total = emptyWallet()
  for (const [, book] of rows) for (const name of AMOUNTS) total[name] += book[name]
  return table([
    ['wallet (credits)', ...AMOUNTS],
    ...[...rows, [`${rows.length} wallets`, total] as const].map(([name, book]) => [
      name,
      ...AMOUNTS.map((amount) => String(book[amount])),
    ]),
  ])
}

function jobTable({ books, service }: AuditLook): string[] {
  const sources = {
    chain: books.jobs,
    journal: service.journal,
    archive: service.archive,
    views: service.views,
  }
  const counts = Object.values(sources).map((jobs) => countByStatus([...jobs.values()]))
  const statuses = [...new Set(counts.flatMap((each) => [...each.keys()]))].sort()
  const sizes = Object.values(sources).map(({ size }) => String(size))
  return table([
    ['jobs', ...Object.keys(sources)],
    ...statuses.map((name) => [name, ...counts.map((each) => String(each.get(name) ?? 0))]),
    ['all', ...sizes],
  ])
}

function countByStatus(jobs: readonly { readonly status: string }[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { status } of jobs) counts.set(status, (counts.get(status) ?? 0) + 1)
  return counts
}

const SHOWN = 200

function differenceLines(standing: readonly Difference[]): string[] {
  const lines = standing.slice(0, SHOWN).map((each) => `✗ ${nameOf(each)}`)
  const more = standing.length - lines.length
  return [
    `differences: ${standing.length}`,
    ...lines,
    ...(more > 0 ? [`and ${more} more; --json shows all`] : []),
  ]
}

/** The first column to the left, numbers to the right. */
function table(rows: readonly (readonly string[])[]): string[] {
  const columns = rows[0]?.length ?? 0
  // Row by row: there may be more of them than a call takes arguments.
  const widths = Array.from({ length: columns }, (_, column) =>
    rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  )
  return rows.map((row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  '),
  )
}

export function inJson({ standing, moving, last }: Looked<AuditLook>): string {
  const wallets = [...last.books.wallets].map(([wallet, { steps: _, ...book }]) => ({
    wallet,
    ...book,
  }))
  const { books, service, tokens, code } = last
  const jobs = {
    chain: Object.fromEntries(countByStatus([...books.jobs.values()])),
    journal: Object.fromEntries(countByStatus([...service.journal.values()])),
  }
  const right = standing.length === 0
  const all = { right, wallets, jobs, tokens, code, moving, differences: standing }
  // Credits and units stay whole numbers, however large.
  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
  return `${JSON.stringify(all, plain, 2)}\n`
}
