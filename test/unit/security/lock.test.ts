import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

/** What is installed is what was looked at: exact versions, each with the digest of its archive. */
const Lock = suite('dependencies')
const root = resolve(import.meta.dirname, '../../..')
const read = (file: string) => JSON.parse(readFileSync(resolve(root, file), 'utf8'))

interface Locked {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly inBundle?: boolean
  /** Runs something of its own when it is installed. */
  readonly hasInstallScript?: boolean
  /** A program for one kind of machine. */
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
  readonly bin?: Readonly<Record<string, string>>
}

/** Linux on x64 is what deployments run on: nothing of it may be without a digest. */
const isForOtherMachines = ({ optional, os, cpu, libc }: Locked): boolean =>
  optional === true &&
  (os?.includes('linux') !== true || cpu?.includes('x64') !== true || libc?.[0] === 'musl')

Lock('every version in package.json is exact', () => {
  const { dependencies, devDependencies } = read('package.json')
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    assert.match(String(version), /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, name)
  }
})

Lock('every package in the lock has a strong digest, and comes by HTTPS', () => {
  const packages = Object.entries(read('package-lock.json').packages as Record<string, Locked>)
  assert.ok(packages.length > 100)
  for (const [path, locked] of packages) {
    const { resolved, integrity, link, inBundle } = locked
    if (path === '' || link || inBundle) continue
    if (integrity === undefined && isForOtherMachines(locked)) continue
    assert.match(integrity ?? '', /^sha(?:512|384)-/, `${path} has no strong digest`)
    if (resolved !== undefined) assert.match(resolved, /^https:\/\//, path)
  }
})

/** Each was looked at: it fetches or builds a program for the machine, or warns of a version. */
const MAY_RUN_AT_INSTALL: ReadonlySet<string> = new Set([
  ...['@bufbuild/buf', '@foundry-rs/anvil', '@foundry-rs/forge', 'esbuild'],
  ...['msgpackr-extract', 'protobufjs', 'secp256k1'],
])

Lock('nothing new runs at installation that nobody has looked at', () => {
  const packages = Object.entries(read('package-lock.json').packages as Record<string, Locked>)
  const running = packages
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''))
  for (const name of running) {
    assert.ok(
      MAY_RUN_AT_INSTALL.has(name),
      `${name} has an install script: read it, then name it here`,
    )
  }
})

/**
 * npm 10, which comes with Node 20 and 22, leaves a program for another machine out, and removes every link that
 * the lock says it has: also the one of the package that all of them belong to, which `npx` and we ask for.
 */
Lock('no program for one kind of machine claims a link', () => {
  const packages = Object.entries(read('package-lock.json').packages as Record<string, Locked>)
  const claims = packages
    .filter(([, { os, cpu, bin }]) => (os || cpu) && bin)
    .map(([path, { bin }]) => `${path}: ${Object.keys(bin!)}`)
  assert.equal(claims, [], 'remove "bin" of these from package-lock.json')
})

Lock('the lock is of this package.json', () => {
  const { dependencies, devDependencies } = read('package.json')
  const locked = read('package-lock.json').packages['']
  assert.equal(locked.dependencies, dependencies)
  assert.equal(locked.devDependencies, devDependencies)
})

Lock.run()
