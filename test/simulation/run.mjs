// `npm run simulate`: makes one file of the simulation and runs it. Plain JavaScript, so that nothing but
// that file is loaded: lives by the thousand are worth a second of bundling.
import { spawnSync } from 'node:child_process'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
// Under the repository, where packages are found.
const dist = resolve(here, '../../dist')
/**
 * Lives are many and short, and much code runs a few times in each: optimize it at its first calls, and
 * on the one thread there is.
 */
const FLAGS = ['--no-lazy-feedback-allocation', '--single-threaded', '--enable-source-maps']

const file = await bundle(join(here, 'run.ts'))
const args = [...FLAGS, file, ...process.argv.slice(2)]
const { status, signal, error } = spawnSync(process.execPath, args, { stdio: 'inherit' })
if (error) throw error
process.exitCode = signal ? 128 + constants.signals[signal] : status

/** @returns where the file is; another run of the same moment never finds half of it */
async function bundle(entry) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    write: false,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'warning',
    plugins: [{ name: 'own addresses', setup: keepAddresses }],
  })
  mkdirSync(dist, { recursive: true })
  const half = join(dist, `simulation.${process.pid}.mjs`)
  writeFileSync(half, outputFiles[0].contents)
  renameSync(half, join(dist, 'simulation.mjs'))
  return join(dist, 'simulation.mjs')
}

/** What a module reads beside itself lies where it lay. */
function keepAddresses({ onLoad }) {
  onLoad({ filter: /\.ts$/ }, async ({ path }) => {
    const source = await readFile(path, 'utf8')
    const url = JSON.stringify(pathToFileURL(path).href)
    return { loader: 'ts', contents: source.replaceAll('import.meta.url', url) }
  })
}
