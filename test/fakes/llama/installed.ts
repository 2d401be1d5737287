import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LLAMA_VERSION } from '../../../src/worker/engines/llama-package.ts'

/** node-llama-cpp for tests, or why there is none. */
export type Installed = { readonly folder: string } | { readonly missing: string }

const INSTALL_MS = 150_000
const FOLDER = join(tmpdir(), `svc-test-node-llama-cpp-${LLAMA_VERSION}`)
const UNREACHABLE = /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH/

/**
 * Installs the package for the CPU of this machine (85 MB, some ten seconds) into a folder of its
 * own, and finds it there from then on: with its binaries for GPUs, which npm takes along by default,
 * it is too large to be everybody's development dependency.
 * @throws where npm fails for another reason than a registry out of reach
 */
export async function installLlama(): Promise<Installed> {
  if (existsSync(FOLDER)) return { folder: FOLDER }
  await mkdir(tmpdir(), { recursive: true })
  const staging = await mkdtemp(`${FOLDER}-`)
  try {
    await writeFile(join(staging, 'package.json'), '{ "private": true }\n')
    const failure = await npmInstall(staging)
    if (failure && UNREACHABLE.test(failure)) {
      return { missing: 'the npm registry is out of reach, so node-llama-cpp cannot be installed' }
    }
    if (failure) throw new Error(`node-llama-cpp cannot be installed:\n${failure}`)
    // Where another run was faster, its folder is as good.
    await rename(staging, FOLDER).catch((error: unknown) => {
      if (!existsSync(FOLDER)) throw error
    })
    return { folder: FOLDER }
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/** @returns npm's words where it failed */
function npmInstall(folder: string): Promise<string | undefined> {
  const started = process.env.npm_execpath
  const [command, before] = started?.endsWith('.js')
    ? [process.execPath, [started]]
    : ['npm', [] as string[]]
  const packages = [`node-llama-cpp@${LLAMA_VERSION}`, `${binaries()}@${LLAMA_VERSION}`]
  const flags = ['--omit=optional', '--omit=peer', '--ignore-scripts', '--no-audit', '--no-fund']
  const args = [
    ...before,
    'install',
    ...flags,
    '--fetch-retries=1',
    '--loglevel=error',
    ...packages,
  ]
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    let words = ''
    const deadline = setTimeout(() => child.kill('SIGKILL'), INSTALL_MS)
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      words += text
    })
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code) => {
      clearTimeout(deadline)
      resolve(code === 0 ? undefined : words || `npm did not end within ${INSTALL_MS / 1_000} s`)
    })
  })
}

function binaries(): string {
  const { platform, arch } = process
  if (platform === 'darwin')
    return `@node-llama-cpp/mac-${arch === 'arm64' ? 'arm64-metal' : 'x64'}`
  return `@node-llama-cpp/${platform === 'win32' ? 'win' : platform}-${arch}`
}
