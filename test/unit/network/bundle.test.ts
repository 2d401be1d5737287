import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bundle, NotWritable } from '../../../src/network/bundle.mjs'
import { nodeArguments } from '../../../src/network/bundled.mjs'

/** Bundles of a project as small as can be. */
const Bundle = suite('bundle')
const BUNDLER = pathToFileURL(join(import.meta.dirname, '../../../src/network/bundle.mjs')).href
const PROGRAM = 'src/part/main.ts'
const KEPT = 5

let root: string
Bundle.before.each(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-bundle-'))
  mkdirSync(join(root, 'src/part'), { recursive: true })
})
Bundle.after.each(() => rmSync(root, { recursive: true, force: true }))

const write = (text: string) => writeFileSync(join(root, PROGRAM), text)
const make = () => bundle(root, 'builds', { worker: PROGRAM })
const builds = () => readdirSync(join(root, 'dist/builds')).sort()
function run(build: string) {
  const { stdout, stderr } = spawnSync(process.execPath, nodeArguments(build, 'worker'), {
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { stdout, stderr }
}
/** As if nobody had looked at it for a while. */
function age(build: string, days: number): void {
  const then = new Date(Date.now() - days * 86_400_000)
  utimesSync(build, then, then)
}
function asUsedBy(build: string, pid: number | undefined): void {
  rmSync(join(build, 'users', String(process.pid)))
  writeFileSync(join(build, 'users', String(pid)), '')
}
/** More other builds than are kept. */
async function makeMany(): Promise<void> {
  for (let i = 0; i <= KEPT; i++) {
    write(`console.log(${i})`)
    asUsedBy(await make(), endedPid())
  }
}
const endedPid = () => spawnSync(process.execPath, ['--version']).pid

Bundle('a module finds what lies beside its source', async () => {
  writeFileSync(join(root, 'src/part/place.ts'), 'export const folder = import.meta.dirname')
  write(
    `import { folder } from './place.ts'
    console.log(import.meta.url, folder, import.meta.filename, 'import.meta.url')`,
  )
  const source = join(root, PROGRAM)
  const expected = `${pathToFileURL(source).href} ${join(root, 'src/part')} ${source} import.meta.url\n`
  assert.equal(run(await make()), { stdout: expected, stderr: '' })
})

Bundle('an error names the file and the line that were written', async () => {
  write("type Gone = string\n\nexport const text: Gone = ''\nthrow new Error('as planned')\n")
  assert.match(run(await make()).stderr, `${join(root, PROGRAM)}:4:`)
})

Bundle('what would be looked for from the bundle is refused', async () => {
  write("console.log(import.meta.resolve('./place.ts'))")
  const failure = await make().then(
    () => undefined,
    (error: Error) => error.message,
  )
  assert.match(failure ?? '', 'import.meta.resolve')
})

Bundle('a module may take the place of another', async () => {
  const number = (value: number) => `export const number = ${value}`
  writeFileSync(join(root, 'src/part/number.ts'), number(1))
  writeFileSync(join(root, 'src/other.ts'), number(2))
  write("import { number } from './number.ts'\nconsole.log(number)")
  const instead = (module: string) =>
    bundle(root, 'builds', { worker: PROGRAM }, { [module]: 'src/other.ts' })
  assert.is(run(await instead('src/part/number.ts')).stdout, '2\n')
  assert.is(run(await make()).stdout, '1\n')
  const failure = await instead('src/part/gone.ts').then(
    () => '',
    (error: Error) => error.message,
  )
  assert.match(failure, 'src/part/gone.ts is imported by none of them')
})

Bundle('the same content is one build, another content is another', async () => {
  write('console.log(1)')
  const first = await make()
  assert.is(await make(), first)
  write('console.log(2)')
  assert.is.not(await make(), first)
  assert.is(builds().length, 2)
})

Bundle('what has not changed for a moment is not made again', async () => {
  const then = new Date(Date.now() - 60_000)
  const writeThen = (text: string, at: Date) => {
    write(text)
    utimesSync(join(root, PROGRAM), at, at)
  }
  writeThen('console.log(1)', then)
  const first = await make()
  // As long, and of the same time: only who reads it can tell.
  writeThen('console.log(2)', then)
  assert.is(await make(), first)
  writeThen('console.log(2)', new Date(then.getTime() + 1_000))
  assert.is(run(await make()).stdout, '2\n')
})

Bundle('other programs of the same files are another build', async () => {
  const then = new Date(Date.now() - 60_000)
  write('console.log(1)')
  utimesSync(join(root, PROGRAM), then, then)
  const first = await make()
  const second = await bundle(root, 'builds', { worker: PROGRAM, pool: PROGRAM })
  assert.is.not(second, first)
})

Bundle('a package of many small modules is in the bundle, with its own packages', async () => {
  const packages = join(root, 'node_modules')
  const add = (path: string, text: string) => {
    mkdirSync(join(packages, path), { recursive: true })
    writeFileSync(join(packages, path, 'package.json'), '{"type":"module","exports":"./index.js"}')
    writeFileSync(join(packages, path, 'index.js'), text)
  }
  const part = (version: number) => `export const part = ${version}`
  add('viem', "export { part } from 'part'")
  add('viem/node_modules/part', part(1))
  add('part', part(2))
  write("import { part } from 'viem'\nimport { part as own } from 'part'\nconsole.log(part, own)")
  const build = await make()
  rmSync(join(packages, 'viem'), { recursive: true })
  assert.equal(run(build), { stdout: '1 2\n', stderr: '' })
})

Bundle('where nothing can be written, the folder is named', async () => {
  write('console.log(1)')
  writeFileSync(join(root, 'dist'), 'in the way')
  const failure = await make().catch((error: unknown) => error)
  assert.instance(failure, NotWritable)
  assert.match((failure as Error).message, `into ${join(root, 'dist/builds')}, which cannot`)
})

Bundle('many that make the same at once find it whole', async () => {
  write('console.log(1)')
  const child = `import { bundle } from '${BUNDLER}'
    const build = await bundle(${JSON.stringify(root)}, 'builds', { worker: '${PROGRAM}' })
    await import(build + '/worker.mjs')`
  const said = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const process_ = spawn(process.execPath, ['--input-type=module', '-e', child])
      let out = ''
      for (const stream of [process_.stdout, process_.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          out += text
        })
      }
      await once(process_, 'close')
      return out
    }),
  )
  assert.equal(said, ['1\n', '1\n', '1\n', '1\n'])
  assert.is(builds().length, 1, builds().join())
})

Bundle('an old build goes, once nobody uses it', async () => {
  write('console.log("old")')
  const old = await make()
  age(old, 30)
  await makeMany()
  assert.ok(existsSync(old), 'this process may start a role from it again')
  asUsedBy(old, endedPid())
  age(old, 30)
  await make()
  assert.not.ok(existsSync(old))
  assert.ok(builds().every((name) => name !== basename(old)))
})

Bundle('what is left of one whose removal was cut off is not run', async () => {
  const then = new Date(Date.now() - 60_000)
  write('console.log(1)')
  utimesSync(join(root, PROGRAM), then, then)
  const build = await make()
  renameSync(build, join(root, 'dist/builds/.gone-1-build'))
  rmSync(join(root, 'dist/builds/.gone-1-build/worker.mjs'))
  assert.is(run(await make()).stdout, '1\n')
})

Bundle('one whose files a power cut has emptied is made anew', async () => {
  const then = new Date(Date.now() - 60_000)
  write('console.log(1)')
  utimesSync(join(root, PROGRAM), then, then)
  const build = await make()
  writeFileSync(join(build, 'worker.mjs'), '')
  assert.is(await make(), build)
  assert.is(run(build).stdout, '1\n')
})

Bundle('a build that was old becomes new when it is used again', async () => {
  write('console.log("old")')
  const old = await make()
  await makeMany()
  age(old, 30)
  write('console.log("old")')
  assert.is(await make(), old)
  asUsedBy(old, endedPid())
  write('console.log("one more")')
  await make()
  assert.ok(existsSync(old))
})

Bundle.run()
