// `npm run bench`: installs what is missing, then measures.
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages, requireNode } from '../../src/network/install.mjs'

requireNode()
await installPackages(resolve(dirname(fileURLToPath(import.meta.url)), '../..'), { withDev: true })
const { register } = await import('tsx/esm/api')
register()
await import('./main.ts')
