// `npm run chaos` and `npm run soak`: installs what is missing, then goes on in main.ts.
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages, requireNode } from '../../src/network/install.mjs'

const folder = dirname(fileURLToPath(import.meta.url))
requireNode()
await installPackages(resolve(folder, '../..'), { withDev: true })
const { register } = await import('tsx/esm/api')
register()
await import('./main.ts')
