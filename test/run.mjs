// `npm test`: installs what is missing, then runs every check and every test file, each in a process
// of its own with a deadline. `npm test -- unit` or `npm test -- ledger` runs a part.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages, requireNode } from '../src/network/install.mjs'
import { countForge, countOne, countUvu, excerptOf } from './counting.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const SECOND_MS = 1_000
const tool = (name) => join(root, 'node_modules', '.bin', name)
const node = process.execPath

/** What Node is told before the path of a test file. */
const TSX = ['--import', 'tsx']

/** A deadline ends what hangs, and is no measure of speed: it is far above what a part takes on a busy machine. */
const CHECKS = {
  name: 'checks',
  deadlineMs: 300 * SECOND_MS,
  count: countOne,
  jobs: () => [
    { name: 'types', command: [tool('tsc'), '--noEmit'] },
    { name: 'types of the web app', command: [tool('tsc'), '--noEmit', '-p', 'src/web/app'] },
    { name: 'style', command: [tool('biome'), 'check'] },
    { name: 'protocol', command: [tool('buf'), 'lint'], cwd: join(root, 'proto') },
    { name: 'generated', command: [node, 'src/network/generate.mjs', '--check'] },
  ],
}
const CONTRACTS = {
  name: 'contracts',
  deadlineMs: 1_200 * SECOND_MS,
  count: countForge,
  jobs: () => [
    { name: 'contracts', command: [tool('forge'), 'test'], cwd: join(root, 'src', 'contracts') },
  ],
}

/**
 * Stages run one after the other; inside one, `atOnce` processes run side by side. The compiler of the contracts uses
 * one core for minutes, so unit tests, which need none of what it makes, run beside it.
 */
const STAGES = [
  { atOnce: 2, parts: [CHECKS] },
  { atOnce: 2, parts: [CONTRACTS, testFiles('unit', 300), testFiles('architecture', 300)] },
  { atOnce: 2, parts: [testFiles('integration', 600), testFiles('e2e', 1_200)] },
  { atOnce: 1, parts: [testFiles('cluster', 1_200), testFiles('simulation', 1_800)] },
]

const running = new Set()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, abandon)
await main(process.argv.slice(2))

async function main(filters) {
  requireNode()
  await installPackages(root, { withDev: true })
  await installPrograms(filters)
  await makeViemQuick()
  const total = { passed: 0, failed: 0, skipped: 0 }
  const failures = []
  for (const { atOnce, parts } of STAGES) {
    await eachAtOnce(jobsOf(parts, filters), atOnce, async ({ part, job }) => {
      const result = await runJob(part, job)
      total.passed += result.passed
      total.failed += result.failed
      total.skipped += result.skipped
      if (result.failure) failures.push(result.failure)
    })
  }
  if (total.passed + total.failed + total.skipped === 0) {
    say(`nothing is called ${filters.join(' or ')}`)
    total.failed = 1
  }
  // An hour of lines is above: here is what to look at.
  for (const failure of failures) say(failure)
  say(`${total.passed} passed, ${total.failed} failed${skippedOf(total)}`)
  process.exitCode = total.failed > 0 ? 1 : 0
}

async function installPrograms(filters) {
  const { register } = await import('tsx/esm/api')
  const unregister = register()
  const { loopbackWithoutProxy } = await import('../src/network/no-proxy.ts')
  Object.assign(process.env, loopbackWithoutProxy(process.env))
  const { findServers } = await import('../src/network/programs/programs.ts')
  await findServers(['nats-server', 'redis-server'], say)
  const { requireBrowser } = await import('./browser.ts')
  const isInBrowser = ({ name }) => name.startsWith('test/e2e/web/')
  const wanted = STAGES.flatMap(({ parts }) => jobsOf(parts, filters))
  if (wanted.some(({ job }) => isInBrowser(job))) await requireBrowser(say)
  await unregister()
}

/** In processes that this one starts. */
async function makeViemQuick() {
  // Not before the packages are there.
  const { quickViem } = await import('./quick-viem.mjs')
  const { args, env } = await quickViem(root)
  TSX.push(...args)
  Object.assign(process.env, env)
}

function testFiles(name, deadlineSeconds) {
  const deadlineMs = deadlineSeconds * SECOND_MS
  return { name, deadlineMs, count: countUvu, jobs: () => findTestFiles(name).map(testFile) }
}

// A folder of that name, or a single file.
function findTestFiles(name) {
  const [folder, file] = [join(root, 'test', name), join(root, 'test', `${name}.test.ts`)]
  if (existsSync(file)) return [file]
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith('.test.ts'))
    .sort()
    .map((path) => join(folder, path))
}

function testFile(path) {
  return { name: relative(root, path), command: [node, ...TSX, path] }
}

function jobsOf(parts, filters) {
  const all = parts.flatMap((part) => part.jobs().map((job) => ({ part, job })))
  return all.filter(({ part, job }) => isWanted(part, job, filters))
}

function isWanted(part, job, filters) {
  return (
    filters.length === 0 ||
    filters.some((filter) => filter === part.name || job.name.includes(filter.replace(/^\.\//, '')))
  )
}

async function eachAtOnce(items, atOnce, work) {
  const rest = [...items]
  const lane = async () => {
    for (let item = rest.shift(); item; item = rest.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}

async function runJob(part, job) {
  const startedAt = performance.now()
  const end = await run(job, part.deadlineMs)
  const counted = part.count(end)
  const problem = end.problem ?? counted.problem
  const { passed, skipped } = counted
  const result = { passed, skipped, failed: Math.max(counted.failed, problem ? 1 : 0) }
  const seconds = ((performance.now() - startedAt) / SECOND_MS).toFixed(1)
  if (result.failed === 0) {
    say(`✓ ${job.name}  ${result.passed} passed${skippedOf(result)} (${seconds} s)`)
    const [since] = /skipped, since .*/.exec(end.output) ?? []
    if (since) say(`  ${since}`)
  } else {
    process.stdout.write(end.output.endsWith('\n') ? end.output : `${end.output}\n`)
    const why = problem ? `: ${problem}` : ''
    const line = `✗ ${job.name}  ${result.failed} failed, ${result.passed} passed (${seconds} s)${why}`
    say(line)
    return { ...result, failure: `${line}\n${excerptOf(end.output)}` }
  }
  return result
}

function skippedOf({ skipped }) {
  return skipped > 0 ? `, ${skipped} skipped` : ''
}

/** Runs one process to its end or its deadline, whichever is first, and all it started with it. */
function run({ command: [program, ...args], cwd = root }, deadlineMs) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    running.add(child)
    let output = ''
    let problem
    const keep = (chunk) => {
      output += chunk
    }
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
    const deadline = setTimeout(() => {
      problem = `did not end within ${deadlineMs / SECOND_MS} s`
      killGroup(child)
    }, deadlineMs)
    child.once('error', (error) => {
      problem = error.message
    })
    // What a test leaves running would hold its output open, and disturb the next test.
    child.once('exit', () => killGroup(child))
    child.once('close', (code, signal) => {
      clearTimeout(deadline)
      if (signal) problem ??= `ended by ${signal}`
      running.delete(child)
      resolve({ code, output, problem })
    })
  })
}

function killGroup({ pid }) {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH' && error.code !== 'EPERM') throw error
  }
}

function abandon() {
  for (const child of running) killGroup(child)
  process.exit(130)
}

function say(line) {
  process.stdout.write(`${line}\n`)
}
