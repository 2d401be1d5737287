// Turns the end of a process into a count of tests. Each takes {code, output} and gives
// {passed, failed, skipped, problem?}: `problem` says what a plain count would hide.

/** A check is one test. */
export const countOne = ({ code }) => (code === 0 ? counted(1, 0) : counted(0, 1))

/** uvu's own summary; a file that crashes, prints none, or neither tests nor skips anything has failed. */
export function countUvu({ code, output }) {
  const total = sum(output, /^\s*Total:\s+(\d+)/gm)
  const passed = sum(output, /^\s*Passed:\s+(\d+)/gm)
  if (total === undefined || passed === undefined) return counted(0, 1, 'it printed no summary')
  const skipped = sum(output, /^\s*Skipped:\s+(\d+)/gm) ?? 0
  if (total + skipped === 0) return counted(0, 1, 'it tested nothing')
  const failed = total - passed
  if (code !== 0 && failed === 0) return counted(passed, 1, `it ended with ${code}`)
  return { ...counted(passed, failed), skipped }
}

/** forge's results, a line a suite. */
export function countForge({ code, output }) {
  const passed = sum(output, /^Suite result: .*?(\d+) passed;/gm)
  const failed = sum(output, /^Suite result: .*?(\d+) failed;/gm)
  if (passed === undefined || failed === undefined) return counted(0, 1, 'no suite was run')
  if (code !== 0 && failed === 0) return counted(passed, 1, `it ended with ${code}`)
  return counted(passed, failed)
}

const counted = (passed, failed, problem) => ({ passed, failed, skipped: 0, problem })

function sum(output, pattern) {
  const found = [...output.matchAll(pattern)]
  return found.length === 0 ? undefined : found.reduce((all, match) => all + Number(match[1]), 0)
}

const EXCERPT_LINES = 15
const EXCERPT_WIDTH = 400

/** What a failed process said of its failures, in short: what follows each of uvu's, else its end. */
export function excerptOf(output) {
  const short = (lines) => lines.map((line) => `    ${line.slice(0, EXCERPT_WIDTH)}`)
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const starts = lines.flatMap((line, i) => (/^\s*FAIL\s/.test(line) ? [i] : []))
  if (starts.length === 0) return short(lines.slice(-EXCERPT_LINES)).join('\n')
  return starts
    .flatMap((start, i) => short(lines.slice(start, starts[i + 1]).slice(0, EXCERPT_LINES)))
    .join('\n')
}
