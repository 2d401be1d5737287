// viem as a few files in place of over a thousand. Each test file is a process of its own, and tsx looks at
// each module that is loaded: that took two seconds of three. A test that is run without this is only slower.
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { register } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { keepBuild } from '../src/network/builds.mjs'

/** The parts of it that are imported here. Each by its name, so that none of them comes twice. */
const PARTS = ['viem', 'viem/accounts', 'viem/actions', 'viem/siwe', 'viem/utils']
const FOLDER = 'TEST_VIEM'

/**
 * @param {string} root folder of package.json
 * @returns {Promise<{ args: string[], env: Record<string, string> }>} for `node --import tsx`
 */
export async function quickViem(root) {
  const asked = readFileSync(import.meta.filename, 'utf8')
  const builds = join(root, 'dist', 'viem')
  const bundle = {
    entryPoints: Object.fromEntries(PARTS.map((part) => [nameOf(part), part])),
    outdir: join(builds, 'build'),
    splitting: true,
    external: ['isows', 'ws'],
  }
  const folder = await keepBuild({ root, builds, asked, bundle })
  return { args: ['--import', import.meta.url], env: { [FOLDER]: folder } }
}

const nameOf = (part) => part.replaceAll('/', '-')

const isTest = isMainThread && process.env[FOLDER] !== undefined
if (isTest) register(import.meta.url, { data: pathToFileURL(`${process.env[FOLDER]}/`).href })

/** On the thread on which Node resolves and loads: where the files are. */
let folder

export function initialize(url) {
  folder = url
}

export function resolve(specifier, context, next) {
  if (specifier === 'viem' || specifier.startsWith('viem/')) {
    if (PARTS.includes(specifier)) return found(`${nameOf(specifier)}.mjs`, folder)
    throw new Error(`${specifier} is not among PARTS of test/quick-viem.mjs: name it there`)
  }
  return context.parentURL?.startsWith(folder) && specifier.startsWith('./')
    ? found(specifier, context.parentURL)
    : next(specifier, context)
}

const found = (path, from) => ({
  url: new URL(path, from).href,
  format: 'module',
  shortCircuit: true,
})

export async function load(url, context, next) {
  if (!url.startsWith(folder)) return next(url, context)
  return { format: 'module', source: await readFile(new URL(url)), shortCircuit: true }
}
