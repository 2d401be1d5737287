import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

/** The same lives each time: who looks for new ones runs `npm run simulate` from another seed. */
const FIRST = 1
const COUNT = 4_000
/** Processes side by side. */
const JOBS = 2
/** Far above what they take on a machine that does much else. */
const MS_MAX = 1_740_000
/** Most that may be told of lives that failed. */
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024

const Seeds = suite(`lives from seed ${FIRST} on`)

Seeds('all come to rest, and nobody was told what is not so', () => {
  const run = fileURLToPath(new URL('./run.mjs', import.meta.url))
  const numbers = { from: FIRST, seeds: COUNT, jobs: JOBS }
  const args = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, `${value}`])
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [run, ...args], {
    encoding: 'utf8',
    timeout: MS_MAX,
    maxBuffer: OUTPUT_BYTES_MAX,
  })
  assert.is(error, undefined, stdout)
  assert.is(status, 0, `${stdout}\n${stderr}`)
  const told = [...stdout.matchAll(/^(\d+) lives, 0 failed; .* ([\d.]+) jobs/gm)]
  assert.is(sum(told.map(([, lives]) => Number(lives))), COUNT, stdout)
  for (const [line, , jobs] of told) assert.ok(Number(jobs) > 1, `hardly any jobs: ${line}`)
})

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

Seeds.run()
