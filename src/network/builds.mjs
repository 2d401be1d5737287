// Where builds are kept: each in a folder named for its content. Plain JavaScript: it comes before all else.
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** Inside a build: a file for each process that uses it, named by its pid. */
const USERS = 'users'
/** Inside a build: what it was made of, where that is sure, and how large its files are. */
const INPUTS = 'inputs.json'
/** Builds that nobody uses. Switching between a few versions then writes nothing. */
const KEPT = 5
/** A file that changes within a moment may have the time it had before. */
const MOMENT_MS = 2_000
/** What makes a build another one, though no module of it has changed. Paths from the root. */
const AROUND = ['package.json', 'tsconfig.json', 'node_modules/.package-lock.json']
const MAKERS = ['bundle.mjs', 'builds.mjs'].map((name) => join(import.meta.dirname, name))

/** Somebody else's checkout, or one on a disk to be read. */
export class NotWritable extends Error {}

/**
 * @param {object} options
 * @param {string} options.root folder of package.json
 * @param {string} options.builds folder of the builds
 * @param {string} options.asked what is to be built, as a text that differs where that does
 * @param {import('esbuild').BuildOptions} options.bundle how it is made, beside what all builds have in common
 * @returns {Promise<string>} its folder; it stays as long as this process lives
 */
export async function keepBuild({ root, builds, asked, bundle }) {
  requireWritable(builds)
  const made = findMade(root, builds, asked)
  if (made) return made
  const begunMs = Date.now()
  const { files, inputs } = await make(root, bundle)
  const folder = join(builds, contentHash(files))
  const sizes = Object.fromEntries(
    files.map(({ path, contents }) => [basename(path), contents.length]),
  )
  publish(folder, files, sizes)
  const stamps = stampsOf(root, [...inputs, ...AROUND, ...MAKERS])
  if (isSure(stamps, begunMs))
    writeWhole(join(folder, INPUTS), JSON.stringify({ asked, stamps, sizes }))
  prune(builds)
  return folder
}

/** @returns the files of a build, and what they were made of: paths from the root */
async function make(root, bundle) {
  // Mostly nothing has changed, and then it is not needed.
  const { build, stop } = await import('esbuild')
  try {
    const { outputFiles, metafile } = await build({
      absWorkingDir: root,
      outExtension: { '.js': '.mjs' },
      write: false,
      metafile: true,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'warning',
      ...bundle,
    })
    return { files: outputFiles, inputs: Object.keys(metafile.inputs) }
  } finally {
    // Its process would live as long as this one. Whoever makes two builds makes one after the other.
    await stop()
  }
}

/** A build of the same, of files that have not changed since. Making it again would take a second or two. */
function findMade(root, builds, asked) {
  // Those that begin with a dot are half made, or half gone.
  for (const name of readdirSync(builds).filter((each) => !each.startsWith('.'))) {
    const folder = join(builds, name)
    const known = readInputs(folder)
    if (known?.asked !== asked) continue
    const paths = Object.keys(known.stamps)
    const isSame = paths.every((path) => stampOf(root, path) === known.stamps[path])
    if (isSame && isWhole(folder, known.sizes) && use(folder)) return folder
  }
  return undefined
}

/** Where the power went soon after a build was made, its files may be there and empty. */
const isWhole = (folder, sizes) =>
  sizes !== undefined &&
  Object.entries(sizes).every(([name, size]) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false })
    return stats?.size === size
  })

function readInputs(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, INPUTS), 'utf8'))
  } catch {
    return undefined // it has none, or is going just now
  }
}

const stampsOf = (root, paths) =>
  Object.fromEntries(paths.map((path) => [path, stampOf(root, path)]))

/** Size and time of a file; null: there is none. Paths that are whole stay so. */
function stampOf(root, path) {
  const stats = statSync(resolve(root, path), { throwIfNoEntry: false })
  return stats ? `${stats.size} ${stats.mtimeMs}` : null
}

/** What was written while it was read may be newer than what was read. */
const isSure = (stamps, begunMs) =>
  Object.values(stamps).every(
    (stamp) => stamp === null || Number(stamp.split(' ')[1]) < begunMs - MOMENT_MS,
  )

function contentHash(files) {
  const hash = createHash('sha256')
  for (const { path, contents } of files) hash.update(`${basename(path)}\n`).update(contents)
  return hash.digest('hex').slice(0, 12)
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
function publish(folder, files, sizes) {
  if (use(folder)) {
    if (isWhole(folder, sizes)) return
    remove(folder)
  }
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

/** For whoever reads at the same time. */
function writeWhole(path, text) {
  const half = `${path}.${process.pid}`
  writeFileSync(half, text)
  renameSync(half, path)
}

/** @returns false: there is no such build */
function use(folder) {
  try {
    writeFileSync(join(folder, USERS, String(process.pid)), '')
    utimesSync(folder, new Date(), new Date())
    return true
  } catch (error) {
    if (error.code === 'ENOENT') return false
    if (!isOthers(error)) throw error
    throw new NotWritable(
      `${folder} was made by another user, as under sudo: take it away, or run this as that user`,
      { cause: error },
    )
  }
}

/** As of a build that was made under sudo, in a folder that was there before. */
const isOthers = (error) => error.code === 'EACCES' || error.code === 'EPERM'

/** A role is started again from the build that its network began with, however old that is by then. */
function prune(builds) {
  const found = readdirSync(builds)
    .map((name) => join(builds, name))
    .map((folder) => ({
      folder,
      usedAt: statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }))
    .sort((a, b) => b.usedAt - a.usedAt)
  for (const { folder } of found.slice(KEPT)) {
    try {
      if (!isUsed(folder)) remove(folder)
    } catch (error) {
      if (!isOthers(error)) throw error // it goes once whoever made it makes another one
    }
  }
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
