// Installs the npm packages when they are missing or differ from package-lock.json. Plain
// JavaScript without imports of packages: it runs before there are any.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** As package.json says. Older ones of 20 lack what builds the web app. */
const NODE_LEAST = '20.19'

/** Ends with a plain sentence on a Node that cannot run this project. */
export function requireNode() {
  if (isNewEnough(process.versions.node)) return
  process.stderr.write(
    `Node ${NODE_LEAST} or newer is needed, this is ${process.version}. Install it and run this again.\n`,
  )
  process.exit(1)
}

/** @param {string} version as 20.19.0 */
export function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number)
  const [majorLeast, minorLeast] = NODE_LEAST.split('.').map(Number)
  return major > majorLeast || (major === majorLeast && minor >= minorLeast)
}

/**
 * @param {string} root folder of package.json
 * @param {{ withDev: boolean }} need whether packages for development count as missing
 */
export async function installPackages(root, need) {
  if (isInstalled(root, need)) return
  await npmCi(root)
  if (!isInstalled(root, need)) {
    throw new Error('npm ci ended well, yet node_modules does not match package-lock.json')
  }
}

// npm keeps a copy of the lock file that says what really is in node_modules. Comparing the two is
// exact where file times are not (a fresh checkout, a copied folder).
function isInstalled(root, { withDev }) {
  const wanted = readPackages(join(root, 'package-lock.json'))
  const present = readPackages(join(root, 'node_modules', '.package-lock.json'))
  if (!wanted) throw new Error(`${join(root, 'package-lock.json')} is missing`)
  if (!present) return false
  return Object.entries(wanted).every(([path, { version, optional, dev, devOptional }]) => {
    if (path === '' || optional || devOptional || (dev && !withDev)) return true
    return present[path]?.version === version
  })
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

async function npmCi(root) {
  const startedAt = Date.now()
  const seconds = () => Math.round((Date.now() - startedAt) / 1000)
  process.stdout.write('installing packages (npm ci) …\n')
  const ticker = setInterval(
    () => process.stdout.write(`  still installing packages, ${seconds()} s\n`),
    5_000,
  )
  const [command, before] = npm(process.env.npm_execpath)
  const flags = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  try {
    await run(command, [...before, ...flags], root)
  } finally {
    clearInterval(ticker)
  }
  process.stdout.write(`packages installed, ${seconds()} s\n`)
}

/**
 * The npm that started us, else the one on PATH. yarn and pnpm name themselves in the same variable, and
 * neither of them reads package-lock.json.
 * @param {string | undefined} started `npm_execpath`
 * @returns {[string, string[]]} command, and arguments before all others
 */
export function npm(started) {
  return started && basename(started) === 'npm-cli.js' ? [process.execPath, [started]] : ['npm', []]
}

function run(command, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
    const interrupt = () => {
      child.kill('SIGTERM')
      process.exit(1)
    }
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
    child.once('error', (error) => reject(new Error(`${command} cannot be run: ${error.message}`)))
    child.once('exit', (code, signal) => {
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
      if (code === 0) resolve()
      else
        reject(new Error(`npm ci failed (${signal ?? `exit code ${code}`}); its words are above`))
    })
  })
}
