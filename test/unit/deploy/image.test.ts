import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { build } from 'esbuild'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RUNTIME_PACKAGES, runtimeManifest } from '../../../deploy/image/runtime-packages.mjs'
import { ROOT } from './helm.ts'
import { COMMANDS } from './role-settings.ts'

const Image = suite('deploy: image')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const dockerfile = read('deploy/Dockerfile')
const runtime = dockerfile.slice(dockerfile.indexOf('AS runtime'))

const roles = COMMANDS.map((command) => command.replace(/\.js$/, '.ts'))
const { inputs } = (
  await build({
    ...{ absWorkingDir: ROOT, entryPoints: roles, outdir: 'dist/unused', logLevel: 'error' },
    ...{ bundle: true, packages: 'external', platform: 'node', format: 'esm' },
    ...{ write: false, metafile: true },
  })
).metafile

Image('the Dockerfile has no fault', () => {
  assert.equal(
    validate(dockerfile).map(({ range, message }) => `line ${range.start.line + 1}: ${message}`),
    [],
  )
})

Image('roles run as nobody in particular, say how they are, and are ended by signals', () => {
  assert.match(runtime, /^USER 1000:1000$/m)
  // `up --wait` goes on to the next role when this one works, not when it has merely come up.
  assert.match(runtime, /^HEALTHCHECK [^\n]*\\\n {2}CMD \["node", "-e", "[^\n]*\/readyz`/m)
  // Without a shell between: a shell would keep SIGTERM to itself.
  assert.match(runtime, /^ENTRYPOINT \["node"/m)
})

Image('no layer stores all packages once more', () => {
  assert.not.match(dockerfile, /chown -R \S+ (?:\/app|\.|node_modules)(?:\s|$)/)
})

Image('has the packages that the roles import, and no other', () => {
  const imported = Object.values(inputs)
    .flatMap(({ imports }) => imports)
    .filter(({ path, external }) => external && !path.startsWith('node:'))
    .map(({ path }) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'))
  assert.equal([...new Set(imported)].sort(), [...RUNTIME_PACKAGES].sort())
})

Image('signatures are checked in native code, or it is not built', () => {
  const packages = dockerfile.slice(
    dockerfile.indexOf('AS packages'),
    dockerfile.indexOf('AS tools'),
  )
  assert.match(
    packages,
    /npm rebuild secp256k1 \\\n {2}&& node -e "require\('secp256k1\/bindings'\)"\)\n/,
  )
})

Image('each of those is a dependency of the project, with its version', () => {
  const { dependencies } = runtimeManifest(JSON.parse(read('package.json')))
  for (const name of RUNTIME_PACKAGES) assert.match(dependencies[name] ?? '', /^\d/, name)
})

/** What a package of the lock needs at run time, where Node finds it: beside it, or further up. */
interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

Image('nothing that only a peer asks for is installed, and nothing misses it', () => {
  assert.match(dockerfile, /npm ci --omit=dev --omit=peer --ignore-scripts/)
  const packages: Readonly<Record<string, Locked>> = JSON.parse(read('package-lock.json')).packages
  const found = (from: string, name: string): string | undefined => {
    const path = `${from && `${from}/`}node_modules/${name}`
    if (packages[path]) return path
    return from
      ? found(from.replace(/(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+$/, ''), name)
      : undefined
  }
  const installed = new Set<string>()
  const visit = (path: string | undefined): void => {
    if (!path || installed.has(path)) return
    installed.add(path)
    const { dependencies, optionalDependencies } = packages[path]!
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      visit(found(path, name))
    }
  }
  for (const name of RUNTIME_PACKAGES) visit(`node_modules/${name}`)
  assert.ok(installed.size > 100)
  for (const path of installed) {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = packages[path]!
    for (const name of Object.keys(peerDependencies)) {
      if (peerDependenciesMeta[name]?.optional) continue
      assert.ok(installed.has(found(path, name) ?? ''), `${path} needs ${name}: name it`)
    }
  }
})

Image('is compiled from every command', () => {
  const { files } = JSON.parse(read('deploy/image/tsconfig.json'))
  assert.equal([...files].sort(), roles.map((file) => `../../${file}`).sort())
})

Image('has what roles read beside their code', () => {
  const copied = [...runtime.matchAll(/^COPY (?:--from=build \/app\/)?(\S+) \1$/gm)].map(
    ([, path]) => path!,
  )
  const beside = Object.keys(inputs)
    .map((file) => [file, read(file)] as const)
    .flatMap(([file, text]) =>
      [...text.matchAll(/new URL\([`']([^`']+)[`'], import\.meta\.url\)/g)]
        .map(([, path]) => path!.replace(/\$\{.*$/, ''))
        .concat(/import\.meta\.dirname, 'app', 'dist'/.test(text) ? 'app/dist' : [])
        .map((path) => join(file, '..', path).replace(/\/$/, '')),
    )
  assert.ok(beside.length >= 3, beside.join())
  for (const path of beside) assert.ok(copied.includes(path), `${path} is not in the image`)
  for (const path of copied) assert.ok(path.endsWith('/dist') || existsSync(join(ROOT, path)), path)
})

Image('what is built from is sent to the builder, and no state or secret', () => {
  const ignored = read('.dockerignore').split('\n')
  assert.is(
    ignored.find((line) => line && !line.startsWith('#')),
    '*',
  )
  const sent = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  for (const file of Object.keys(inputs)) {
    assert.ok(
      sent.some((path) => file.startsWith(`${path}/`)),
      file,
    )
  }
  for (const path of sent) assert.ok(existsSync(join(ROOT, path)), path)
})

Image.run()
