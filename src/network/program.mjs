// `npm run edge`, `npm run verify` and their like: makes the bundles, and is that program in this same process,
// so that signals reach it.
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bundle, bundleNetworkOrEnd, COMMANDS, NotWritable } from './bundle.mjs'
import { fileOf, load } from './bundled.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const [node, , name, ...args] = process.argv
const build = COMMANDS[name] ? await bundleCommands() : await bundleNetworkOrEnd(root)
process.argv = [node, build ? fileOf(build, name) : join(root, COMMANDS[name]), ...args]
if (build) await load(build, name)
else await loadSources()

/** @returns undefined: somebody else's checkout, whose books may be looked at all the same */
async function bundleCommands() {
  try {
    return await bundle(root, 'commands', COMMANDS)
  } catch (error) {
    if (error instanceof NotWritable) return undefined
    throw error
  }
}

async function loadSources() {
  const { register } = await import('tsx/esm/api')
  register()
  await import(pathToFileURL(process.argv[1]).href)
}
