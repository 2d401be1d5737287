// `npm run simulate`: makes one file of the simulation and runs it. Plain JavaScript, so that nothing but
// that file is loaded: lives by the thousand are worth a second of bundling.
import { spawnSync } from 'node:child_process'
import { constants } from 'node:os'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from '../../src/network/bundle.mjs'
import { nodeArguments } from '../../src/network/bundled.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
/**
 * Lives are many and short, and much code runs a few times in each: optimize it at its first calls, and
 * on the one thread there is.
 */
const FLAGS = ['--no-lazy-feedback-allocation', '--single-threaded']

const COUNT = 'partition-count.ts'
const INSTEAD = { [`src/messages/${COUNT}`]: `test/simulation/${COUNT}` }

const build = await bundle(root, 'simulation', { run: 'test/simulation/run.ts' }, INSTEAD)
const args = [...FLAGS, ...nodeArguments(build, 'run'), ...process.argv.slice(2)]
const { status, signal, error } = spawnSync(process.execPath, args, { stdio: 'inherit' })
if (error) throw error
process.exitCode = signal ? 128 + constants.signals[signal] : status
