import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DCLinter } from 'dclint'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseDocument } from 'yaml'
import { leavingMs } from '../../../src/config/shared-settings.ts'
import { ROOT } from './helm.ts'
import { COMMANDS, type Env, envOf, started, unreadBy } from './role-settings.ts'
import { filledIn, makeSecrets, type Secrets } from './secrets.ts'

const Compose = suite('deploy: compose')
const DEPLOY = join(ROOT, 'deploy')
const read = (path: string) => readFileSync(join(DEPLOY, path), 'utf8')

interface Service {
  readonly image: string
  readonly command?: readonly string[]
  readonly env_file?: readonly string[]
  readonly environment?: Env
  readonly ports?: readonly string[]
  readonly networks: readonly string[]
  readonly restart?: string
  readonly stop_grace_period?: string
  readonly mem_limit?: string
  readonly configs?: readonly { readonly source: string; readonly target: string }[]
  readonly secrets?: readonly string[]
  readonly depends_on?: Readonly<Record<string, unknown>>
}
interface Source {
  readonly file: string
}
const document = parseDocument(read('compose.yaml'), { merge: true, uniqueKeys: true })
const compose: {
  readonly services: Readonly<Record<string, Service>>
  readonly configs: Readonly<Record<string, Source>>
  readonly secrets: Readonly<Record<string, Source>>
} = document.toJS()
const roles = Object.entries(compose.services).filter(([, { command }]) =>
  COMMANDS.includes(command?.[0] ?? ''),
)
const dockerfile = read('Dockerfile')
/** What the image says for all of its roles. */
const imageEnv = Object.fromEntries(
  [...dockerfile.matchAll(/^(?:ENV)? {1,2}([A-Z_]+)=(\S+?)(?: \\)?$/gm)].map(
    ([, name, value]) => [name!, value!] as const,
  ),
)
/** An image that is built here has a name all the same, and services stand in the order of a request. */
const MATTERS_OF_TASTE = {
  'no-build-and-image': 0,
  'no-quotes-in-volumes': 0,
  'require-quotes-in-ports': 0,
  'service-keys-order': 0,
  'service-ports-alphabetical-order': 0,
  'services-alphabetical-order': 0,
  'top-level-properties-order': 0,
} as const
let secrets: Secrets

Compose.before(() => {
  secrets = makeSecrets()
})
Compose.after(() => secrets.remove())

/** What the container is told, in the order in which it counts. */
function envOfService({ env_file = [], environment = {} }: Service): Env {
  const files = env_file.map((file) =>
    file === 'network.env'
      ? read('network.env.example')
      : filledIn(secrets.read(file.replace('secrets/', ''))),
  )
  return Object.assign({}, imageEnv, ...files.map(envOf), environment)
}

interface Finding {
  readonly line: number
  readonly rule: string
  readonly message: string
}
/** By the schema of the Compose specification, and rules of use that are more than taste. */
function faultsOf(file: string): string[] {
  const linter = new DCLinter({ rules: MATTERS_OF_TASTE, quiet: true, debug: false, exclude: [] })
  const found: readonly { readonly messages: readonly Finding[] }[] = linter.lintFiles(
    [file],
    false,
  )
  return found
    .flatMap(({ messages }) => messages)
    .map(({ line, rule, message }) => `line ${line}: ${rule}: ${message}`)
}

Compose('the file is YAML without a fault, and what compose knows', () => {
  assert.equal([...document.errors, ...document.warnings], [])
  assert.equal(faultsOf(join(DEPLOY, 'compose.yaml')), [])
})

Compose('the check finds a misspelt field', () => {
  const file = join(secrets.folder, 'compose.yaml')
  writeFileSync(file, read('compose.yaml').replace('restart:', 'restrat:'))
  assert.match(faultsOf(file).join(), /"\/services\/edge".*additional properties/)
})

Compose('every role is run, by a command that the image has', () => {
  assert.equal(
    [...new Set(roles.map(([, { command }]) => command![0]!))].sort(),
    [...COMMANDS].sort(),
  )
})

Compose('every role starts with the settings it is given', () => {
  for (const [name, service] of roles) {
    try {
      started(service.command![0]!, envOfService(service))
    } catch (error) {
      assert.unreachable(`${name}: ${(error as Error).message}`)
    }
  }
})

Compose('no setting is left unread by the role it is for', () => {
  for (const [name, { command, environment = {}, env_file = [] }] of roles) {
    const own = env_file.filter((file) => file !== 'network.env')
    const told = Object.assign({}, environment, ...own.map((f) => envOf(secrets.read(f.slice(8)))))
    assert.equal(unreadBy(command![0]!, told), [], name)
  }
  const shared = envOf(read('network.env.example'))
  for (const setting of Object.keys(shared)) {
    assert.ok(
      COMMANDS.some((command) => unreadBy(command, { [setting]: '' }).length === 0),
      setting,
    )
  }
})

Compose('published ports are those that the roles listen on', () => {
  for (const [name, service] of roles) {
    const settings = started(service.command![0]!, envOfService(service))
    const listening = ['EDGE_PORT', 'WEB_PORT', 'POOL_PORT', 'MONITOR_PORT']
      .map((port) => settings[port])
      .filter(Boolean)
    for (const port of service.ports ?? []) {
      const [host, , inside] = port.split(':')
      assert.is(host, '127.0.0.1', `${name}: open to everybody`)
      assert.ok(listening.includes(Number(inside)), `${name}: ${port}`)
      assert.match(dockerfile, new RegExp(`^EXPOSE .*\\b${inside}\\b`, 'm'))
    }
  }
})

Compose('a role has time to leave before it is killed', () => {
  for (const [name, service] of roles) {
    const settings = started(service.command![0]!, envOfService(service))
    const needsMs = settings.DRAIN_SECONDS
      ? leavingMs(settings as { LEAVE_SECONDS: number; DRAIN_SECONDS: number })
      : 20_000
    assert.ok(Number.parseInt(service.stop_grace_period!, 10) * 1_000 > needsMs, name)
  }
})

Compose('what is mounted is there, or said to be made', () => {
  const made = ['./contracts.json', './secrets/users.acl']
  for (const { file } of [...Object.values(compose.configs), ...Object.values(compose.secrets)]) {
    assert.ok(made.includes(file) || existsSync(join(DEPLOY, file)), file)
  }
  for (const [name, service] of Object.entries(compose.services)) {
    for (const { source } of service.configs ?? []) assert.ok(compose.configs[source], name)
    for (const source of service.secrets ?? []) assert.ok(compose.secrets[source], name)
  }
})

Compose('an operator can prove the books: the command is told all that it needs', () => {
  const { tools } = compose.services
  const told = envOfService(tools!)
  for (const name of ['RPC_URL', 'NATS_URL', 'REDIS_URL']) assert.ok(told[name], name)
  assert.match(told.NATS_URL!, /\/\/auditor:/)
  const mounted = tools!.configs?.map(({ target }) => target)
  assert.equal(mounted, [told.CONTRACTS_FILE])
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  assert.match(read('Dockerfile'), /AS tools\n.*?ENTRYPOINT \["npm", "run", "--silent"\]/s)
  assert.ok(scripts.audit && scripts.verify)
})

Compose(
  'Redis has a limit of its own, and twice as much memory while it writes its file anew',
  () => {
    const [, limit] = /^maxmemory (\d+)gb$/m.exec(read('redis.conf')) ?? []
    const [, memory] = /^(\d+)g$/.exec(compose.services.redis?.mem_limit ?? '') ?? []
    assert.ok(Number(memory) > 2 * Number(limit), `${memory} for ${limit}`)
    assert.match(read('redis.conf'), /^maxmemory-policy noeviction$/m)
  },
)

Compose('NATS and Redis are reached from inside alone', () => {
  for (const name of ['nats', 'redis']) {
    assert.equal(compose.services[name]?.networks, ['inside'])
    assert.is(compose.services[name]?.ports, undefined)
  }
})

Compose('whoever ends an answer is stopped after who waits for it', () => {
  const stopsBefore = (name: string): ReadonlySet<string> => {
    const next = Object.keys(compose.services[name]!.depends_on ?? {})
    return new Set(next.flatMap((one) => [one, ...stopsBefore(one)]))
  }
  const servers = ['nats', 'redis']
  const behind = (name: string) => [...stopsBefore(name)].sort()
  assert.equal(behind('edge'), ['actors', ...servers, 'pool', 'settlement'].sort())
  assert.equal(behind('pool'), ['actors', ...servers, 'settlement'].sort())
  for (const name of ['web', 'actors', 'settlement']) assert.equal(behind(name), servers)
})

Compose.run()
