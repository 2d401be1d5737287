import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import type { Network } from './network.ts'

export interface Said {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const ROOT = resolve(import.meta.dirname, '../..')
const PROGRAM = 'src/network/program.mjs'
const DEADLINE_MS = 240_000

/** Runs a command of this project, as `npm run` would, on a network's data directory. */
export const runOn = (
  network: Pick<Network, 'dataDir'>,
  program: 'verify' | 'audit',
  args: readonly string[],
  input = '',
): Promise<Said> => run([program, ...args, '--data-dir', network.dataDir], input)

/** @param args a command of this project and what it is told */
export function run(args: readonly string[], input = ''): Promise<Said> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: ROOT,
    timeout: DEADLINE_MS,
  })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  // One that ended without reading its input has no use for it.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, out, err }))
  })
}
