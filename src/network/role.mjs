// `npm run edge`, and likewise the other roles: makes the bundles, and is that role in this same process,
// so that signals reach it.
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleNetworkOrEnd } from './bundle.mjs'
import { fileOf, load } from './bundled.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const [node, , role, ...args] = process.argv
const build = await bundleNetworkOrEnd(root)
process.argv = [node, fileOf(build, role), ...args]
await load(build, role)
