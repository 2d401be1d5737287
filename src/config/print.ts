import { type AnySchema, givenValue } from './read.ts'

type Env = Readonly<Record<string, string | undefined>>

const SECRET = /_(PRIVATE_KEY|PASSWORD|API_KEY|SECRET_KEYS|OTLP_HEADERS)$/
const NODE_URL = /^(WORKER_)?RPC_URL$|_SIGNER_URL$/
const SEVERAL = /^(NATS|POOL)_URL$/
/** Another comma may be a part of a password that should be encoded. */
const BETWEEN = /,(?=\s*\w+:\/\/)/
/** User and password in an address of a server, up to its last @: what should be encoded need not be. */
const USER = /\/\/.*@/s
/** The same where the setting is an address, and so needs no scheme to be one. */
const ADDRESS = /_URL$/
const USER_OF_ADDRESS = /^(\w+:\/\/)?.*@/s
/** What follows the host: providers of nodes put their keys there. */
const PATH = /^((?:\w+:\/\/|(?!\w+:\/\/))[^/?#]+)[/?#].+$/s
/** Clients of Redis take a password here as well. */
const QUERY = /(:\/\/[^?]*)\?.*$/s
const WIDTH = 100

/**
 * Every setting of a role with its value and where that comes from, as an environment file that can
 * be kept: what has its default stands there as a comment. Secrets are not shown.
 */
export function printedConfig(role: string, schema: AnySchema, env: Env): string {
  const settings = Object.entries(schema.shape).map(([name, setting]) => {
    const given = givenValue(env, name)
    const standard = standardOf(setting)
    const about = `${setting.description ?? ''}${defaultOf(given, standard)}`
    const line = given ? `${name}=${shown(name, given)}` : `# ${name}=${standard ?? ''}`
    return [...wrapped(about), line].join('\n')
  })
  return [`# settings of the role ${role}; secrets are not shown`, ...settings, ''].join('\n\n')
}

/** The default of a setting as an operator would write it; undefined where it has none. */
export function standardOf(setting: AnySchema['shape'][string]): string | undefined {
  const fallback = setting.safeParse(undefined)
  return fallback.success && fallback.data !== undefined ? raw(setting) : undefined
}

// What a transform makes of it is the program's concern.
function raw(setting: AnySchema['shape'][string]): string | undefined {
  let inner: unknown = setting
  while (isWrapper(inner)) {
    const { def } = inner
    if ('defaultValue' in def) return String(def.defaultValue)
    inner = def.innerType ?? def.in
  }
  return undefined
}

interface Wrapper {
  readonly def: {
    readonly innerType?: unknown
    readonly in?: unknown
    readonly defaultValue?: unknown
  }
}
const isWrapper = (schema: unknown): schema is Wrapper =>
  typeof schema === 'object' && schema !== null && 'def' in schema

const defaultOf = (given: string | undefined, standard: string | undefined): string =>
  given && standard ? ` (default: ${standard})` : ''

function shown(name: string, value: string): string {
  if (SECRET.test(name)) return '(set)'
  const addresses = SEVERAL.test(name) ? value.split(BETWEEN) : [value]
  const open = addresses.map((each) => withoutUser(name, each)).join(',')
  return NODE_URL.test(name) ? open.replace(PATH, '$1/(set)') : open.replace(QUERY, '$1?(set)')
}

const withoutUser = (name: string, value: string): string =>
  ADDRESS.test(name) ? value.replace(USER_OF_ADDRESS, '$1(set)@') : value.replace(USER, '//(set)@')

function wrapped(text: string): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < WIDTH)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`# ${word}`)
  }
  return lines
}
