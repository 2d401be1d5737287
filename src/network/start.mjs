// `npm start`. Plain JavaScript: checks Node, installs what is missing, and hands over to main.ts in
// this same process, so that there is one process to interrupt.
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages, requireNode } from './install.mjs'

requireNode()
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
try {
  await installPackages(root, { withDev: false })
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}
const startedIn = process.cwd()
// tsx reads tsconfig.json from the working directory.
process.chdir(root)
const { register } = await import('tsx/esm/api')
register()
const { launch } = await import('./main.ts')
await launch({ root, startedIn })
