/** Who may import whom. An area is a folder of src, `actors/<kind>`, `actors`, `proto` or `test`. */

const SERVICE = ['domain', 'messages', 'ports', 'telemetry']
const ADAPTERS = ['bus', 'store', 'chain']

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  contracts: [],
  proto: [],
  messages: ['domain'],
  telemetry: ['domain'],
  // The log among them: it is bound like any port.
  ports: ['domain', 'messages', 'telemetry'],
  config: ['domain', 'telemetry'],
  runtime: SERVICE,
  bus: SERVICE,
  store: SERVICE,
  // Deploys what the contracts' build made.
  chain: [...SERVICE, 'contracts'],
  edge: [...SERVICE, 'config'],
  web: [...SERVICE, 'config'],
  pool: [...SERVICE, 'config', 'proto'],
  worker: ['domain', 'telemetry', 'config', 'proto'],
  network: [...SERVICE, ...ADAPTERS, 'config', 'contracts'],
  'actors/*': [...SERVICE, 'runtime'],
}

/** Files that put a process together bind whatever they need. */
const COMPOSITION =
  /^(?:src\/[^/]+|actors)\/(?:main|compose)\.ts$|^(?:src\/edge|actors)\/connect\.ts$/

export const isComposition = (path: string): boolean => COMPOSITION.test(path)

export function areaOf(path: string): string {
  const [top, second, third] = path.split('/')
  if (top === 'src') return second!
  if (top === 'actors' && third !== undefined) return `actors/${second}`
  return top!
}

export function mayImport(from: string, to: string): boolean {
  const [importer, imported] = [areaOf(from), areaOf(to)]
  // Tests look at everything, and nothing looks at tests.
  if (importer === 'test') return true
  if (importer === imported || isComposition(from)) return imported !== 'test'
  const rule = importer.startsWith('actors/') ? 'actors/*' : importer
  return MAY_IMPORT[rule]?.includes(imported) ?? false
}

/** Packages that only their adapter may know; everyone else goes through a port. */
export const PACKAGE_OWNERS: Readonly<Record<string, readonly string[]>> = {
  nats: ['bus'],
  ioredis: ['store'],
  viem: ['chain'],
  fastify: ['edge', 'web'],
  '@grpc/grpc-js': ['pool', 'worker', 'proto'],
}

export const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
