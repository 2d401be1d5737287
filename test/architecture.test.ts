import { basename } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  areaOf,
  isComposition,
  mayImport,
  PACKAGE_OWNERS,
  packageOf,
} from './architecture/import-rule.ts'
import {
  allFiles,
  importsOf,
  isGenerated,
  sourceFiles,
  textOf,
} from './architecture/source-tree.ts'

/** Rules of the house that a compiler does not check. */
const Architecture = suite('architecture')

/** A table of cases may be longer than a piece of logic. */
const LINES_MOST = { source: 300, test: 450 }

Architecture('the tree is read at all', () => {
  assert.ok(sourceFiles.includes('src/domain/ids.ts'))
  assert.ok(
    importsOf('src/domain/pricing.ts').some(({ target }) => target === 'src/domain/tiers.ts'),
  )
})

Architecture('each area imports only what it may', () => {
  none(
    everyImport().flatMap(({ from, target }) =>
      target && !mayImport(from, target) ? [`${from} imports ${target}`] : [],
    ),
  )
})

Architecture('packages with an owner are imported by their owner alone', () => {
  none(
    everyImport().flatMap(({ from, specifier }) => {
      const owners = PACKAGE_OWNERS[packageOf(specifier)]
      const area = areaOf(from)
      return !owners || owners.includes(area) || area === 'test'
        ? []
        : [`${from} imports ${specifier}`]
    }),
  )
})

Architecture('no file imports itself by a detour', () => {
  none(cycles())
})

Architecture('no file is named for nothing in particular', () => {
  const vague = /(?:^|[-.])(?:helpers?|utils?|utilities|common|misc|managers?|index)(?=[-.])/
  none(sourceFiles.filter((path) => vague.test(basename(path))))
})

Architecture('no file is too long to read in one go', () => {
  const written = allFiles.filter(
    (path) => /\.(?:ts|mjs|sol|lua)$/.test(path) && !isGenerated(path),
  )
  none(
    written.flatMap((path) => {
      const lines = textOf(path).split('\n').length - 1
      const most = path.startsWith('test/') ? LINES_MOST.test : LINES_MOST.source
      return lines > most ? [`${path} has ${lines} lines`] : []
    }),
  )
})

Architecture('decisions know neither time nor chance', () => {
  const pure = /^(?:src\/(?:domain|messages|ports|runtime)|actors)\//
  const worldly =
    /\b(?:Date\.now|Math\.random|performance\.now|setTimeout|setInterval)\b|\bnew Date\(\)/
  none(
    sourceFiles.filter(
      (path) =>
        pure.test(path) &&
        path !== 'src/runtime/system-clock.ts' &&
        !isComposition(path) &&
        worldly.test(textOf(path)),
    ),
  )
})

Architecture('nothing unfinished, and no machine but the reader’s own', () => {
  // In two parts each, so that this file does not find itself.
  const parts = [
    ['TO', 'DO'],
    ['FIX', 'ME'],
    ['@ts-', 'ignore'],
    [' as ', 'any'],
    ['registry.', 'npmjs'],
    ['registry.', 'yarnpkg'],
    ['deb.', 'debian'],
    ['/wo', 'rk/'],
    ['/ro', 'ot/'],
  ]
  const banned = parts.map((halves) => halves.join(''))
  none(
    allFiles.flatMap((path) => {
      // What a generator writes is its own style.
      const text = isGenerated(path) ? '' : textOf(path)
      return banned.filter((word) => text.includes(word)).map((word) => `${path} holds "${word}"`)
    }),
  )
})

Architecture('the lock file knows the packages of every platform, or npm ci refuses it', () => {
  type Locked = { optionalDependencies?: Record<string, string> }
  const lock: { packages: Record<string, Locked> } = JSON.parse(textOf('package-lock.json'))
  none(
    Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) =>
          !lock.packages[`node_modules/${name}`] && !lock.packages[`${path}/node_modules/${name}`],
      ),
    ),
  )
})

Architecture('the top of the repository holds only what everyone knows', () => {
  const known = new Set([
    ...['package.json', 'package-lock.json', 'tsconfig.json', 'biome.json', 'README.md', 'LICENSE'],
    ...['proto', 'src', 'actors', 'test', 'deploy'],
  ])
  const tops = new Set(allFiles.map((path) => path.split('/')[0]!))
  none([...tops].filter((name) => !known.has(name) && !name.startsWith('.')))
})

function none(found: readonly string[]): void {
  assert.is(found.join('\n'), '')
}

function everyImport() {
  return sourceFiles.flatMap((from) => importsOf(from).map((each) => ({ from, ...each })))
}

/** Each cycle once, as the files it goes through. */
function cycles(): readonly string[] {
  const found: string[] = []
  const done = new Set<string>()
  const path: string[] = []
  const visit = (file: string): void => {
    const start = path.indexOf(file)
    if (start >= 0) {
      found.push([...path.slice(start), file].join(' → '))
      return
    }
    if (done.has(file)) return
    path.push(file)
    for (const { target } of importsOf(file)) if (target && sources.has(target)) visit(target)
    path.pop()
    done.add(file)
  }
  const sources = new Set(sourceFiles)
  for (const file of sourceFiles) visit(file)
  return found
}

Architecture.run()
