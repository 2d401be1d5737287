import { spawn } from 'node:child_process'
import { resolve } from 'node:path'

/** `npm run listen` as a developer has it before them. */
export interface ListenProcess {
  /** All that it has said, on both outputs. */
  said(): string
  /** Undefined while it runs. */
  exitCode(): number | null | undefined
  /** Ctrl-C. Resolves once it has ended; where that does not end it, it is killed: exit code `null`. */
  stop(): Promise<void>
}

const END_MS = 20_000
const ROOT = resolve(import.meta.dirname, '../..')

export function startListening(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ListenProcess {
  const { SVC_API_KEY: _key, SVC_BASE_URL: _url, ...clean } = process.env
  const child = spawn(process.execPath, ['src/network/program.mjs', 'listen', ...args], {
    cwd: ROOT,
    env: { ...clean, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  let exitCode: number | null | undefined
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const ended = new Promise<void>((resolve) => {
    child.once('close', (code) => {
      exitCode = code
      resolve()
    })
  })
  return {
    said: () => said,
    exitCode: () => exitCode,
    stop: async () => {
      child.kill('SIGINT')
      const late = setTimeout(() => child.kill('SIGKILL'), END_MS)
      await ended
      clearTimeout(late)
    },
  }
}
