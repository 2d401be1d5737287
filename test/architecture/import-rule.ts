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
  outbound: SERVICE,
  // Deploys what the contracts' build made.
  chain: [...SERVICE, 'contracts'],
  // What edge and web both stand on: the HTTP server's manners, and reads of jobs, models, balances.
  api: SERVICE,
  edge: [...SERVICE, 'config', 'api'],
  web: [...SERVICE, 'config', 'api'],
  // Runs in browsers: of the server it knows what is said, of the chain what contracts look like.
  'web/app': ['domain', 'messages'],
  pool: [...SERVICE, 'config', 'proto'],
  worker: ['domain', 'telemetry', 'config', 'proto'],
  // A caller's tool: it stands outside, as their endpoint does.
  listen: ['domain'],
  // Judges all the others, so it believes and borrows from none of them.
  audit: [],
  network: [...SERVICE, ...ADAPTERS, 'config', 'contracts'],
  'actors/*': [...SERVICE, 'runtime'],
}

/** Files that put a process together bind whatever they need. */
const COMPOSITION =
  /^(?:src\/[^/]+|actors)\/(?:main|compose(?:-\w+)?)\.ts$|^(?:src\/edge|src\/web|actors)\/connect\.ts$/

/** What a browser may know of the server and of the chain. */
const WEB_APP_FILES = [
  'src/web/api.ts',
  'src/web/webhook-api.ts',
  'src/web/workers-api.ts',
  'src/chain/abi.ts',
]

export const isComposition = (path: string): boolean => COMPOSITION.test(path)

export function areaOf(path: string): string {
  const [top, second, third] = path.split('/')
  if (top === 'src' && second === 'web' && third === 'app') return 'web/app'
  if (top === 'src') return second!
  if (top === 'actors' && third !== undefined) return `actors/${second}`
  return top!
}

export function mayImport(from: string, to: string): boolean {
  const [importer, imported] = [areaOf(from), areaOf(to)]
  // Tests look at everything, and nothing looks at tests.
  if (importer === 'test') return true
  if (importer === imported || isComposition(from)) return imported !== 'test'
  if (importer === 'web/app' && WEB_APP_FILES.includes(to)) return true
  const rule = importer.startsWith('actors/') ? 'actors/*' : importer
  return MAY_IMPORT[rule]?.includes(imported) ?? false
}

/** Packages that only their adapter may know; everyone else goes through a port. */
export const PACKAGE_OWNERS: Readonly<Record<string, readonly string[]>> = {
  nats: ['bus', 'audit'],
  ioredis: ['store', 'audit'],
  // An operator's agent is no part of the service: it reads and pays for itself.
  viem: ['chain', 'audit', 'worker', 'web/app'],
  fastify: ['api', 'edge', 'web'],
  '@grpc/grpc-js': ['pool', 'worker', 'proto'],
  '@opentelemetry/api': ['telemetry'],
  '@opentelemetry/sdk-trace-base': ['telemetry'],
}

export const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
