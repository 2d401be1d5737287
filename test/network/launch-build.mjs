// `npm start` with programs that a test has made: their folder is named by TEST_BUILD.
import { resolve } from 'node:path'
import { load } from '../../src/network/bundled.mjs'

const build = process.env.TEST_BUILD
const { launch } = await load(build, 'launcher')
await launch({
  root: resolve(import.meta.dirname, '../..'),
  startedIn: process.cwd(),
  startedBy: process.ppid,
  build,
})
