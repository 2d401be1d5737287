// Makes one file of a program, so that a process loads one and translates none. Plain JavaScript:
// it comes before all else.
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, stop } from 'esbuild'

/** The programs of a network: what `npm start` and `npm run <role>` run. */
export const NETWORK = {
  launcher: 'src/network/main.ts',
  edge: 'src/edge/main.ts',
  actors: 'actors/main.ts',
  pool: 'src/pool/main.ts',
  web: 'src/web/main.ts',
  worker: 'src/worker/main.ts',
}
/** Inside a build: a file for each process that uses it, named by its pid. */
const USERS = 'users'
/** Builds that nobody uses. Switching between a few versions then writes nothing. */
const KEPT = 5

/**
 * @param {string} root folder of package.json
 * @returns where the build is, for those who run it (`bundled.mjs`); it stays as long as this process lives
 */
export const bundleNetwork = (root) => bundle(root, 'roles', NETWORK)

/** Somebody else's checkout, or one on a disk to be read. */
export class NotWritable extends Error {}

/** Ends with a plain sentence where there is no place for a build. */
export async function bundleNetworkOrEnd(root) {
  try {
    return await bundleNetwork(root)
  } catch (error) {
    if (!(error instanceof NotWritable)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

/**
 * @param {string} root folder of package.json
 * @param {string} name of the folder in `dist` that keeps the last builds, each named for its content
 * @param {Record<string, string>} programs paths from the root by the names of their bundles
 * @param {Record<string, string>} instead modules that take the place of others, paths from the root
 * @returns {Promise<string>} the folder with `<name>.mjs` of each; it stays as long as this process lives
 */
export async function bundle(root, name, programs, instead = {}) {
  const files = await compile(root, programs, instead)
  const hash = createHash('sha256')
  for (const { path, contents } of files) hash.update(`${basename(path)}\n`).update(contents)
  // Under the repository, where packages are found.
  const builds = join(root, 'dist', name)
  const folder = join(builds, hash.digest('hex').slice(0, 12))
  requireWritable(builds)
  publish(folder, files)
  prune(builds)
  return folder
}

async function compile(root, programs, instead) {
  try {
    const { outputFiles } = await build({
      absWorkingDir: root,
      entryPoints: programs,
      // Only for the paths in source maps, which must fit the place of the build: it is as deep.
      outdir: join(root, 'dist', 'builds', 'build'),
      outExtension: { '.js': '.mjs' },
      write: false,
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      target: 'node20',
      sourcemap: 'linked',
      sourcesContent: false,
      logLevel: 'warning',
      define: ADDRESSES,
      plugins: [
        { name: 'own addresses', setup: keepAddresses },
        { name: 'instead', setup: (build) => replaceModules(build, root, instead) },
      ],
    })
    return outputFiles
  } finally {
    // Its process would live as long as this one. Whoever makes two builds makes one after the other.
    await stop()
  }
}

/** What a module reads beside itself lies where it lay: these are its own, at the top of it. */
const ADDRESSES = {
  'import.meta.url': 'sourceUrl',
  'import.meta.dirname': 'sourceFolder',
  'import.meta.filename': 'sourceFile',
}

function keepAddresses({ onLoad }) {
  onLoad({ filter: /\.m?[jt]s$/ }, async ({ path }) => {
    const source = await readFile(path, 'utf8')
    if (!source.includes('import.meta.')) return undefined
    if (source.includes('import.meta.resolve(')) {
      return { errors: [{ text: `${path}: import.meta.resolve would look from the bundle` }] }
    }
    const values = {
      sourceUrl: pathToFileURL(path).href,
      sourceFolder: dirname(path),
      sourceFile: path,
    }
    const own = Object.entries(values).map(([name, text]) => `${name} = ${JSON.stringify(text)}`)
    // On the first line, so that the others keep their numbers.
    return { loader: path.endsWith('ts') ? 'ts' : 'js', contents: `const ${own.join()};${source}` }
  })
}

/** A name that has moved must not leave the product's own in its place unseen. */
function replaceModules({ onResolve, onEnd }, root, instead) {
  const missing = new Set(Object.keys(instead))
  for (const [module, other] of Object.entries(instead)) {
    const file = basename(module).replaceAll('.', '\\.')
    onResolve({ filter: new RegExp(`/${file}$`) }, ({ path, resolveDir }) => {
      if (resolve(resolveDir, path) !== join(root, module)) return undefined
      missing.delete(module)
      return { path: join(root, other) }
    })
  }
  onEnd(() => ({
    errors: [...missing].map((module) => ({ text: `${module} is imported by none of them` })),
  }))
}

/** @throws {NotWritable} */
function requireWritable(builds) {
  try {
    mkdirSync(builds, { recursive: true })
    accessSync(builds, constants.W_OK)
  } catch (cause) {
    // Node says of a folder that it may not make on a disk to be read that there is none.
    throw new NotWritable(
      `programs are built into ${builds}, which cannot be written to: run this as who owns the project, or in a copy of it`,
      { cause },
    )
  }
}

/** Two that make the same at once find either nothing or the whole of it. */
function publish(folder, files) {
  if (use(folder)) return
  const half = mkdtempSync(join(dirname(folder), '.half-'))
  mkdirSync(join(half, USERS))
  use(half)
  for (const { path, contents } of files) writeFileSync(join(half, basename(path)), contents)
  try {
    renameSync(half, folder)
  } catch (error) {
    rmSync(half, { recursive: true })
    // Someone else's, made meanwhile, is as good.
    if (!use(folder)) throw error
  }
}

/** @returns false: there is no such build */
function use(folder) {
  try {
    writeFileSync(join(folder, USERS, String(process.pid)), '')
    utimesSync(folder, new Date(), new Date())
    return true
  } catch (error) {
    if (error.code === 'ENOENT') return false
    throw error
  }
}

/** A role is started again from the build that its network began with, however old that is by then. */
function prune(builds) {
  const found = readdirSync(builds)
    .map((name) => join(builds, name))
    .map((folder) => ({
      folder,
      usedAt: statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }))
    .sort((a, b) => b.usedAt - a.usedAt)
  for (const { folder } of found.slice(KEPT)) if (!isUsed(folder)) remove(folder)
}

const isUsed = (folder) => usersOf(folder).some((pid) => isAlive(Number(pid)))

function usersOf(folder) {
  try {
    return readdirSync(join(folder, USERS))
  } catch (error) {
    if (error.code === 'ENOENT') return []
    throw error
  }
}

/** A pid that was given out again keeps a build longer; that costs a few megabytes. */
function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}

/** At once for whoever looks, so that nobody uses what is half gone. */
function remove(folder) {
  const gone = join(dirname(folder), `.gone-${process.pid}-${basename(folder)}`)
  try {
    renameSync(folder, gone)
  } catch (error) {
    if (error.code === 'ENOENT') return // another one was quicker
    throw error
  }
  rmSync(gone, { recursive: true, force: true })
}
