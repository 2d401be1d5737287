// `npm start`. Plain JavaScript: checks Node, installs what is missing, makes the bundles, and hands
// over to main.ts in this same process, so that there is one process to interrupt.
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { load } from './bundled.mjs'
import { installPackages, requireNode } from './install.mjs'

// Now: until packages and bundles are there it may have died.
const startedBy = process.ppid
requireNode()
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
try {
  await installPackages(root, { withDev: false })
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}
const startedIn = process.cwd()
// What is started here runs in the project, wherever the operator is.
process.chdir(root)
// Not before the packages are there.
const { bundleNetworkOrEnd } = await import('./bundle.mjs')
const build = await bundleNetworkOrEnd(root)
const { launch } = await load(build, 'launcher')
await launch({ root, startedIn, startedBy, build })
