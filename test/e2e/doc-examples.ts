import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** One piece of code of the reference, as a reader would copy it. */
export interface Example {
  readonly language: string
  readonly code: string
}

const BLOCK = /<pre><code class="language-(\w+)">([\s\S]*?)<\/code><\/pre>/g
const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

export const examplesOf = (html: string): Example[] =>
  [...html.matchAll(BLOCK)].map(([, language, code]) => ({
    language: language!,
    code: code!.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity]!),
  }))

export interface Ran {
  readonly code: number | null
  /** All that it said, on both outputs. */
  readonly said: string
}

const PATIENCE_MS = 90_000
const PACKAGES = resolve(import.meta.dirname, '../../node_modules')
// What curl answers with must have succeeded; a reader sees that, a script does not.
const STRICT = `set -eu\ncurl() { command curl --fail-with-body --max-time 60 "$@"; }\n`

const RUNNERS: Readonly<Record<string, { file: string; command: string[]; before: string }>> = {
  sh: { file: 'example.sh', command: ['sh'], before: STRICT },
  js: { file: 'example.mjs', command: [process.execPath], before: '' },
  python: {
    file: 'example.py',
    // Where its client is not installed, at least it is Python.
    command: succeeds('python3', ['-c', 'import openai'])
      ? ['python3']
      : ['python3', '-m', 'py_compile'],
    before: '',
  },
}

export const isRunnable = ({ language }: Example): boolean =>
  Object.hasOwn(RUNNERS, language) && (language !== 'python' || succeeds('python3', ['--version']))

/** Runs an example in an empty folder, with the key as a reader has it. */
export async function runExample({ language, code }: Example, apiKey: string): Promise<Ran> {
  const runner = RUNNERS[language]!
  const [program = '', ...args] = runner.command
  const folder = mkdtempSync(join(tmpdir(), 'svc-example-'))
  try {
    symlinkSync(PACKAGES, join(folder, 'node_modules'))
    writeFileSync(join(folder, runner.file), runner.before + code)
    return await new Promise((resolve, reject) => {
      const child = spawn(program, [...args, runner.file], {
        cwd: folder,
        env: { ...process.env, SVC_API_KEY: apiKey },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: PATIENCE_MS,
      })
      let said = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          said += text
        })
      }
      child.on('error', reject)
      child.on('close', (code) => resolve({ code, said }))
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function succeeds(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}
