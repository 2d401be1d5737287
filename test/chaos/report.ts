import type { Run } from './one-run.ts'

/** One line a fault, for people. */
export function faultTable(runs: readonly Run[]): string {
  const names = [...new Set(runs.map(({ fault }) => fault))]
  const rows = names.map((name) =>
    rowOf(
      name,
      runs.filter(({ fault }) => fault === name),
    ),
  )
  return table([
    ['fault', 'runs', 'clean', 'recovery p50', 'worst', 'calls', 'affected', 'told'],
    ...rows,
  ])
}

function rowOf(name: string, runs: readonly Run[]): string[] {
  const recoveries = runs.map(({ recoveryMs }) => recoveryMs).sort((a, b) => a - b)
  const calls = sumOf(runs)
  const told = Object.entries(calls).filter(([what]) => what !== '200' && what !== 'left')
  return [
    name,
    String(runs.length),
    String(runs.filter(({ flaws }) => flaws.length === 0).length),
    seconds(recoveries[Math.floor(recoveries.length / 2)]),
    // One that never recovered is the worst.
    seconds(recoveries.some(Number.isNaN) ? Number.NaN : recoveries.at(-1)),
    String(Object.values(calls).reduce((sum, count) => sum + count, 0)),
    String(runs.reduce((sum, { affected }) => sum + affected, 0)),
    told.map(([what, count]) => `${count} ${what}`).join(', '),
  ]
}

function sumOf(runs: readonly Run[]): Record<string, number> {
  const sum: Record<string, number> = {}
  for (const { calls } of runs) {
    for (const [what, count] of Object.entries(calls)) sum[what] = (sum[what] ?? 0) + count
  }
  return sum
}

export function flawLines(runs: readonly Run[]): string {
  return runs
    .filter(({ flaws }) => flaws.length > 0)
    .map(({ fault, turn, startedAt, flaws }) => {
      const lines = flaws.slice(0, 12).map((flaw) => `  ✗ ${flaw}\n`)
      return `${fault}, turn ${turn}, ${startedAt}: ${flaws.length}\n${lines.join('')}`
    })
    .join('')
}

const seconds = (ms: number | undefined): string =>
  ms === undefined || Number.isNaN(ms) ? 'never' : `${(ms / 1_000).toFixed(1)} s`

/** The last column and the first to the left, the others to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  return rows
    .map((row) => {
      const last = row.length - 1
      const cells = row.map((cell, i) =>
        i === 0 || i === last ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0),
      )
      return `${cells.join('  ').trimEnd()}\n`
    })
    .join('')
}
