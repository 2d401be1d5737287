import type { Check } from './checks.ts'
import type { Verdict } from './judge.ts'

const MARKS = { true: '✓', false: '✗', null: '?' } as const

/** One line a check, then what was not looked at, then one sentence. */
export function inWords({ checks, notes, sentence }: Verdict): string {
  const width = Math.max(0, ...checks.map(({ name }) => name.length))
  const lines = [...checks.map((check) => line(check, width)), ...notes.map((note) => `· ${note}`)]
  return [...lines, ...(lines.length > 0 ? [''] : []), sentence, ''].join('\n')
}

function line({ name, holds, found, wanted }: Check, width: number): string {
  const must = holds === true ? 'expected' : 'but expected'
  return `${MARKS[`${holds}`]} ${name.padEnd(width)}  ${found}; ${must} ${wanted}`
}

export const inJson = (verdict: Verdict): string => `${JSON.stringify(verdict, null, 2)}\n`
