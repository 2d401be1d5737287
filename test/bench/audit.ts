// `npm run audit` after a life of everything that can happen: BENCH_JOBS requests (10 500, of which some
// hundreds are refused and never become jobs), answered short and long, refunded, failed, disputed, of six
// wallets that move their money on chain meanwhile. Says whether the books are right, and what it took.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MIXED_NETWORK, mixedLife } from '../e2e/mixed/mixed-life.ts'
import { startNetwork } from '../network/network.ts'
import { residentBytes } from './resources.ts'

const JOBS = Number(process.env.BENCH_JOBS ?? 10_500)
const CONCURRENCY = 48
const CREDITS = 200_000n
const LOOK_MS = 100
const PATIENCE_SECONDS = '120'
const PROGRAM = join(import.meta.dirname, '../../src/network/program.mjs')

const network = await startNetwork(MIXED_NETWORK)
try {
  const life = await mixedLife(network, {
    jobs: JOBS,
    concurrency: CONCURRENCY,
    credits: CREDITS,
  })
  console.log(
    `\n${JOBS} requests in ${life.seconds.toFixed(0)} s, ${life.directCalls} direct calls\n`,
  )
  console.table(life.endings)
  const { code, out, seconds, mebibytes } = await audit(network.dataDir)
  console.log(out)
  console.log(`the audit took ${seconds.toFixed(1)} s and at most ${mebibytes.toFixed(0)} MiB`)
  const file = process.env.BENCH_JSON
  if (file) writeFileSync(file, `${JSON.stringify({ ...life, code, seconds, mebibytes })}\n`)
  if (code !== 0) process.exitCode = 1
} finally {
  await network.stop()
}

async function audit(dataDir: string) {
  const began = performance.now()
  const args = [PROGRAM, 'audit', '--data-dir', dataDir, '--patience', PATIENCE_SECONDS]
  const child = spawn(process.execPath, args)
  let out = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
  }
  let most = 0
  const looking = setInterval(() => {
    if (child.pid !== undefined && child.exitCode === null) {
      most = Math.max(most, residentBytes(child.pid))
    }
  }, LOOK_MS)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  clearInterval(looking)
  const seconds = (performance.now() - began) / 1_000
  return { code, out, seconds, mebibytes: most / 2 ** 20 }
}
