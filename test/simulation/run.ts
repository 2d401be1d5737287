// `npm run simulate -- --seeds 1000 --from 1`: many lives. `--help` tells the rest.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import type { LifeEnd } from './life.ts'
import { liveSeeds } from './seeds.ts'

const HISTORY_LINES = 120
const TELL_MS = 10_000

const USAGE = `Lives of a network with faults at random, each made by a seed.

  npm run simulate -- [options]
  --seeds N     how many lives (100)
  --from N      the first seed (1)
  --jobs N      processes side by side (1)
  --history     each life whole
  --digest      a line for each life, by which two are compared
`

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '1' },
    history: { type: 'boolean', default: false },
    digest: { type: 'boolean', default: false },
  },
})
const [seeds, from, jobs] = [values.seeds, values.from, values.jobs].map(wholeNumber)
if (values.help) process.stdout.write(USAGE)
else if (jobs === 1) process.exitCode = await runHere(from!, seeds!)
else process.exitCode = await runBeside(from!, seeds!, jobs!)

function wholeNumber(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`not a whole number: ${text}`)
  return number
}

async function runHere(first: number, count: number): Promise<number> {
  const sum = { lives: 0, failed: 0, events: 0, jobs: 0, seconds: 0 }
  const startedAt = process.cpuUsage()
  let toldAt = Date.now()
  await liveSeeds({
    from: first,
    count,
    each: (end) => {
      sum.lives++
      sum.events += end.events
      sum.jobs += end.jobs
      sum.seconds += end.seconds
      if (values.history) say(end.history.text)
      if (values.digest) say(`${end.seed} ${digestOf(end)}`)
      if (end.failures.length > 0) {
        sum.failed++
        tellFailure(end)
      }
      if (Date.now() - toldAt > TELL_MS) {
        say(`… ${sum.lives} of ${count} lives, ${sum.failed} failed`)
        toldAt = Date.now()
      }
      return true
    },
  })
  const { user, system } = process.cpuUsage(startedAt)
  const perLife = (total: number) => (total / sum.lives).toFixed(1)
  say(
    `${sum.lives} lives, ${sum.failed} failed; each ${perLife((user + system) / 1_000)} ms of CPU, ` +
      `${perLife(sum.events)} events, ${perLife(sum.jobs)} jobs, ${perLife(sum.seconds)} simulated seconds`,
  )
  return sum.failed > 0 ? 1 : 0
}

function digestOf({ history }: LifeEnd): string {
  return createHash('sha256').update(history.text).digest('hex')
}

function tellFailure({ seed, failures, history }: LifeEnd): void {
  if (!values.history) say(history.lines.slice(-HISTORY_LINES).join('\n'))
  for (const failure of failures) say(`✗ seed ${seed}: ${failure}`)
  say(`  again: npm run simulate -- --seeds 1 --from ${seed} --history`)
}

async function runBeside(first: number, count: number, processes: number): Promise<number> {
  const share = Math.ceil(count / processes)
  const codes = Array.from({ length: processes }, (_, i) => {
    const begin = first + i * share
    const size = Math.min(share, first + count - begin)
    return size > 0 ? runChild(begin, size) : 0
  })
  return Math.max(...(await Promise.all(codes)))
}

function runChild(begin: number, size: number): Promise<number> {
  const args = [
    '--seeds',
    `${size}`,
    '--from',
    `${begin}`,
    ...(values.history ? ['--history'] : []),
  ]
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...args], {
    stdio: 'inherit',
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
