// Builds the browser app into src/web/app/dist, where what it is made of has changed since.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const APP = 'src/web/app'
const INPUTS = [
  APP,
  'src/web/api.ts',
  'src/chain/abi.ts',
  'src/domain',
  'src/messages',
  'src/network/web-app.mjs',
  'package-lock.json',
]
/** Beside what was built: the digest of what it was built from. */
const STAMP = '.inputs'
const PAGE = 'index.html'

/** @param {string} root folder of package.json */
export function webAppIsCurrent(root) {
  const stamp = join(root, APP, 'dist', STAMP)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digestOf(root)
}

/**
 * Whoever reads meanwhile finds either version whole: what a page asks for has its content in its
 * name, and the page itself is replaced last.
 * @param {string} root folder of package.json
 * @throws with the builder's own words
 */
export async function buildWebApp(root) {
  const digest = digestOf(root)
  const dist = join(root, APP, 'dist')
  const next = mkdtempSync(join(tmpdir(), 'svc-web-app-'))
  try {
    await runVite(root, next)
    mkdirSync(join(dist, 'assets'), { recursive: true })
    const names = filesUnder(next).filter((name) => name !== PAGE)
    for (const name of names) cpSync(join(next, name), join(dist, name))
    const page = join(dist, `${PAGE}.${process.pid}`)
    cpSync(join(next, PAGE), page)
    renameSync(page, join(dist, PAGE))
    const kept = new Set(names)
    for (const file of readdirSync(join(dist, 'assets'))) {
      if (!kept.has(join('assets', file))) rmSync(join(dist, 'assets', file), { force: true })
    }
    writeFileSync(join(dist, STAMP), digest)
  } finally {
    rmSync(next, { recursive: true, force: true })
  }
}

async function runVite(root, outDir) {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const config = join(root, APP, 'vite.config.ts')
  const args = [vite, 'build', '--config', config, '--outDir', outDir, '--logLevel', 'warn']
  await promisify(execFile)(process.execPath, args, { cwd: root }).catch((cause) => {
    const words = [cause.stdout, cause.stderr].join('\n').trim() || cause.message
    throw new Error(`the web app could not be built: ${words}`, { cause })
  })
}

function digestOf(root) {
  const hash = createHash('sha256')
  for (const input of INPUTS) {
    const path = join(root, input)
    const files = statSync(path).isFile() ? [''] : filesUnder(path).filter(isSource).sort()
    for (const file of files)
      hash.update(`${join(input, file)}\n`).update(readFileSync(join(path, file)))
  }
  return hash.digest('hex')
}

const isSource = (file) => !file.startsWith('dist')

function filesUnder(folder) {
  return readdirSync(folder, { recursive: true }).filter((file) =>
    statSync(join(folder, file)).isFile(),
  )
}
