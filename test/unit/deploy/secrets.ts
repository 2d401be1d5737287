import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './helm.ts'

export const RPC_URL = 'https://rpc.example.com/key'
const KEYS = { LOCKER: `0x${'1'.repeat(64)}`, SETTLER: `0x${'2'.repeat(64)}` } as const

export interface Secrets {
  readonly folder: string
  read(file: string): string
  remove(): void
}

/** As deploy/secrets.sh makes them. */
export function makeSecrets(env: Readonly<Record<string, string>> = {}): Secrets {
  const parent = mkdtempSync(join(tmpdir(), 'svc-secrets-'))
  const folder = join(parent, 'secrets')
  runScript(folder, env)
  return {
    folder,
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    remove: () => rmSync(parent, { recursive: true, force: true }),
  }
}

export const runScript = (folder: string, env: Readonly<Record<string, string>> = {}) =>
  run([folder], { RPC_URL, ...env })

export const updateAcl = (folder: string) => run(['--update-acl', folder], {})

const run = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  execFileSync('sh', [join(ROOT, 'deploy/secrets.sh'), ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: 'pipe',
    encoding: 'utf8',
  })

/** With the keys of the chain that only an operator has. */
export const filledIn = (text: string): string =>
  text.replace(
    /^(LOCKER|SETTLER)_PRIVATE_KEY=$/gm,
    (line, role: keyof typeof KEYS) => `${line}${KEYS[role]}`,
  )
