// `npm run bench`: installs what is missing, then measures what a job costs. `npm run bench -- NAME`
// measures something else: NAME is a file beside this one.
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages, requireNode } from '../../src/network/install.mjs'

const folder = dirname(fileURLToPath(import.meta.url))
const file = join(folder, `${process.argv[2] ?? 'main'}.ts`)
if (!existsSync(file)) throw new Error(`there is no benchmark ${file}`)

requireNode()
await installPackages(resolve(folder, '../..'), { withDev: true })
const { register } = await import('tsx/esm/api')
register()
await import(file)
