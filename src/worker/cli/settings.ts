import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { refuseMisspelt } from '../../config/misspelt.ts'
import { ConfigError } from '../../config/read.ts'
import { type WorkerConfig, workerSchema } from '../../config/worker-schema.ts'

type Setting = keyof typeof workerSchema.shape

/** What a setting is called on the command line and in the file; the schema has its variable. */
export const SETTINGS: Readonly<Record<Setting, SettingName>> = {
  POOL_URL: { name: 'pool' },
  POOL_CA: { name: 'pool-ca' },
  UPSTREAM_URL: { name: 'upstream' },
  // Other users of the machine see flags, so no secret is one.
  UPSTREAM_API_KEY: { name: 'upstream-api-key', secret: true },
  UPSTREAM_CONTEXT: { name: 'upstream-context' },
  UPSTREAM_SILENCE_SECONDS: { name: 'upstream-silence-seconds' },
  WORKER_MODELS: { name: 'models' },
  WORKER_SLOTS: { name: 'slots' },
  WORKER_REGION: { name: 'region' },
  WORKER_PAYEE: { name: 'payee' },
  WORKER_ENGINE: { name: 'engine' },
  WORKER_HOME: { name: 'home' },
  WORKER_KEYSTORE: { name: 'keystore' },
  WORKER_PASSWORD: { name: 'password', secret: true },
  WORKER_PASSWORD_FILE: { name: 'password-file' },
  WORKER_PRIVATE_KEY: { name: 'private-key', secret: true },
  WORKER_RPC_URL: { name: 'rpc' },
  WORKER_ESCROW: { name: 'job-escrow' },
  WORKER_STAKING: { name: 'worker-staking' },
  WORKER_INSECURE: { name: 'insecure', isSwitch: true },
  LLAMA_CONTEXT: { name: 'llama-context' },
  LLAMA_GPU_LAYERS: { name: 'llama-gpu-layers' },
  LLAMA_THREADS: { name: 'llama-threads' },
  LLAMA_PACKAGE: { name: 'llama-package' },
  WORKER_SAMPLE_TOKENS: { name: 'sample-tokens' },
  WORKER_SAMPLE_TOKEN_MS: { name: 'sample-token-ms' },
  LOG_LEVEL: { name: 'log-level' },
  MONITOR_HOST: { name: 'monitor-host' },
  MONITOR_PORT: { name: 'monitor-port' },
  OTEL_EXPORTER_OTLP_ENDPOINT: { name: 'otlp-endpoint' },
  OTEL_EXPORTER_OTLP_HEADERS: { name: 'otlp-headers', secret: true },
}

export interface SettingName {
  readonly name: string
  /** Never a flag. */
  readonly secret?: boolean
  /** A flag without a value. */
  readonly isSwitch?: boolean
}

type Env = Readonly<Record<string, string | undefined>>

export interface Given {
  /** By the names of SETTINGS. */
  readonly flags: Readonly<Record<string, string>>
  readonly env: Env
  /** Named by `--config`; undefined: worker.json of the agent's folder, where there is one. */
  readonly file: string | undefined
}

/** The whole configuration. `WORKER_HOME` and `WORKER_KEYSTORE` are absolute in it. */
export type Settings = Readonly<WorkerConfig>

/**
 * Reads the settings: a flag wins over a variable, a variable over the file, the file over the
 * default.
 * @throws {ConfigError} naming each one that is wrong, as whoever gave it knows it
 */
export function readSettings({ flags, env, file }: Given): Settings {
  refuseMisspelt(env)
  const { home, values, sources } = givenSettings({ flags, env, file })
  const parsed = workerSchema.safeParse(values)
  if (!parsed.success) throw new ConfigError(complaint(parsed.error.issues, sources))
  const folder = resolve(parsed.data.WORKER_HOME || home)
  return Object.freeze({
    ...parsed.data,
    WORKER_HOME: folder,
    WORKER_KEYSTORE: resolve(parsed.data.WORKER_KEYSTORE || join(folder, 'keystore.json')),
  })
}

/** Every setting that is given at all, as it is written, with who gave it. */
export function givenSettings({ flags, env, file }: Given) {
  const home = resolve(flags.home || env.WORKER_HOME || defaultHome(env))
  const path = file ?? join(home, 'worker.json')
  const inFile = readFile(path, file !== undefined)
  const sources = new Map<string, string>()
  const values: Record<string, string> = {}
  for (const [setting, { name }] of Object.entries(SETTINGS)) {
    const found = firstGiven([
      [flags[name], `--${name}`],
      // An empty variable means "not set": that is how shells and compose files leave one out.
      [env[setting] || undefined, setting],
      [inFile[name], `"${name}" in ${path}`],
    ])
    if (found === undefined) continue
    sources.set(setting, found.source)
    values[setting] = found.value
  }
  return { home, values, sources }
}

const defaultHome = (env: Env): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'svc-worker')

function firstGiven(candidates: readonly (readonly [string | undefined, string])[]) {
  for (const [value, source] of candidates) if (value !== undefined) return { value, source }
  return undefined
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

function complaint(issues: readonly Issue[], sources: ReadonlyMap<string, string>): string {
  const lines = issues.map(({ path: [setting], message }) => {
    const known = setting as Setting
    const { name, secret } = SETTINGS[known]
    const where = sources.get(known) ?? (secret ? known : `--${name} (or ${known})`)
    return `  ${where}: ${message} (${workerSchema.shape[known].description})`
  })
  return `these settings are not usable:\n${lines.join('\n')}`
}

/** Settings of a file, each as the text that a flag would be. */
function readFile(path: string, isNamed: boolean): Readonly<Record<string, string>> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (!isNamed && (error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    // Nobody has said `--config` where it is only looked for: then the folder is what was given.
    const given = isNamed ? `--config ${path}` : `${path} in the folder of this agent (--home)`
    throw new ConfigError(`${given} cannot be read: ${(error as Error).message}`)
  }
  const known = new Set(Object.values(SETTINGS).map(({ name }) => name))
  return Object.fromEntries(
    Object.entries(parseObject(path, text)).map(([name, value]) => {
      if (!known.has(name)) {
        throw new ConfigError(
          `${path}: there is no setting "${name}"; it knows ${[...known].join(', ')}`,
        )
      }
      return [name, textOf(path, name, value)]
    }),
  )
}

function parseObject(path: string, text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Falls through: what cannot be parsed is no object either.
  }
  throw new ConfigError(`${path} must be a JSON object, like {"pool": "https://…", "slots": 4}`)
}

function textOf(path: string, name: string, value: unknown): string {
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value)
  if (isPlain) return String(value)
  if (Array.isArray(value)) return value.join(',')
  throw new ConfigError(`${path}: "${name}" must be a text, a number, true or false, or a list`)
}
