// Makes one file of a program, so that a process loads one and translates none. Plain JavaScript:
// it comes before all else.
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { keepBuild, NotWritable } from './builds.mjs'

export { NotWritable }

/** The programs of a network: what `npm start` and `npm run <role>` run. */
export const NETWORK = {
  launcher: 'src/network/main.ts',
  edge: 'src/edge/main.ts',
  actors: 'actors/main.ts',
  pool: 'src/pool/main.ts',
  web: 'src/web/main.ts',
  worker: 'src/worker/main.ts',
}

/** Programs that look or act once, and end. */
export const COMMANDS = {
  deploy: 'src/chain/deploy/main.ts',
  listen: 'src/listen/main.ts',
  verify: 'src/audit/verify/main.ts',
  audit: 'src/audit/books/main.ts',
}

/**
 * @param {string} root folder of package.json
 * @returns where the build is, for those who run it (`bundled.mjs`); it stays as long as this process lives
 */
export const bundleNetwork = (root) => bundle(root, 'roles', NETWORK)

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
  const asked = JSON.stringify([programs, instead])
  // Under the repository, where packages are found.
  const builds = join(root, 'dist', name)
  return keepBuild({ root, builds, asked, bundle: optionsOf(root, programs, instead) })
}

const optionsOf = (root, programs, instead) => ({
  entryPoints: programs,
  // Only for the paths in source maps, which must fit the place of the build: it is as deep.
  outdir: join(root, 'dist', 'builds', 'build'),
  sourcemap: 'linked',
  sourcesContent: false,
  define: ADDRESSES,
  plugins: [
    { name: 'packages', setup: (build) => leaveOutside(build, root) },
    { name: 'own addresses', setup: keepAddresses },
    { name: 'instead', setup: (build) => replaceModules(build, root, instead) },
  ],
})

/** Over a thousand small modules, of which a role needs a part: that part is in the bundle. */
const INSIDE = 'viem'

/** Other packages stay where npm put them: some are native, some look for files beside themselves. */
function leaveOutside({ onResolve }, root) {
  onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
    if (kind === 'entry-point') return undefined
    // What is inside has packages of its own, in its own versions. What it may load later stays outside.
    const isInside = relative(root, importer).includes('node_modules')
      ? kind === 'import-statement'
      : path === INSIDE || path.startsWith(`${INSIDE}/`)
    return isInside ? undefined : { path, external: true }
  })
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
