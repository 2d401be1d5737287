import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { CannotTell, reasonOf } from '../cannot-tell.ts'
import { connectChain, readWhole } from '../chain/connect.ts'
import { type ExitCode, fromCaller, runCommand } from '../command-line.ts'
import { findWhere } from '../where.ts'
import type { JobFacts } from './facts.ts'
import { judge, type Verdict } from './judge.ts'
import { parseOptions, USAGE, type VerifyOptions } from './options.ts'
import { readFacts } from './read-facts.ts'
import { inJson, inWords } from './report.ts'
import { textHash } from './text-hash.ts'

/** `npm run verify`: one job, by the chain alone. */

const EXIT_CODES: Readonly<Record<Verdict['verdict'], ExitCode>> = {
  holds: 0,
  broken: 1,
  untold: 2,
}

await runCommand(async () => {
  const options = parseOptions(process.argv.slice(2))
  if (options === 'help') {
    process.stdout.write(USAGE)
    return 0
  }
  const verdict = judge(await gather(options))
  process.stdout.write(options.json ? inJson(verdict) : inWords(verdict))
  return EXIT_CODES[verdict.verdict]
})

async function gather(options: VerifyOptions): Promise<JobFacts> {
  const where = findWhere(options)
  const hash = options.text === undefined ? null : textHash(await readText(options.text))
  const chain = await connectChain(where)
  return readWhole(chain, () => readFacts(chain, options.key, hash))
}

async function readText(file: string): Promise<Uint8Array> {
  if (file === '-') return buffer(process.stdin)
  const path = fromCaller(file)
  return readFile(path).catch((error: unknown) => {
    throw new CannotTell(`--text ${path} cannot be read: ${reasonOf(error)}`)
  })
}
