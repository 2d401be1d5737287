import { distance } from 'fastest-levenshtein'
import { ALL_SETTINGS } from './all.ts'
import { ConfigError } from './read.ts'

const KNOWN: ReadonlySet<string> = new Set(ALL_SETTINGS.flatMap(({ shape }) => Object.keys(shape)))

type Env = Readonly<Record<string, string | undefined>>

/** One or two first words that hardly anybody else gives to a variable. */
const OWN_BEGINNINGS: ReadonlySet<string> = new Set([
  ...['EDGE', 'POOL', 'WORKER', 'ACTOR', 'KEEPER', 'LOCKER', 'SETTLER', 'ESCROW'],
  ...['WITHDRAWAL', 'DISPUTE', 'LLAMA', 'UPSTREAM', 'WEBHOOK', 'CONTRACTS', 'LEAVE', 'DRAIN'],
  ...['BATCH_ITEMS', 'JOB_WINDOW', 'MONITOR_HOST', 'MONITOR_PORT', 'NATS_REPLICAS'],
  ...['CHAIN_COIN', 'CHAIN_CONFIRMATIONS', 'CHAIN_GAS', 'CHAIN_MAX', 'CHAIN_STUCK'],
  ...['WEB_BURST', 'WEB_DEVELOPMENT', 'WEB_RELAYER', 'WEB_RPC', 'WEB_SESSION', 'WEB_TRUST'],
  'WALLETCONNECT_PROJECT',
])
/**
 * Of other names so many letters may be wrong, left out or too many. Of a short one, one alone, or two that changed
 * places: DB_HOST and APP_URL are names of others.
 */
const SLIPS_MAX = 2
const SHORT = 8
/** What Docker and Kubernetes tell every container of its neighbours. */
const LINK = /_(SERVICE_(HOST|PORT)(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP)(_(ADDR|PORT|PROTO))?|PORT)$/

/**
 * A setting that nobody reads is a setting that somebody believes in: the start ends with the name
 * that was probably meant. Settings of other roles may stand beside, as one file serves several.
 * @throws {ConfigError}
 */
export function refuseMisspelt(env: Env): void {
  const wrong = Object.keys(env).filter((name) => env[name] && isMeantForUs(name))
  if (wrong.length === 0) return
  const lines = wrong.map(
    (name) => `  ${name}: there is no such setting; did you mean ${nearest(name)}?`,
  )
  throw new ConfigError(`configuration is not usable:\n${lines.join('\n')}`)
}

function isMeantForUs(name: string): boolean {
  if (KNOWN.has(name) || LINK.test(name)) return false
  const words = name.split('_')
  if ([1, 2].some((count) => OWN_BEGINNINGS.has(words.slice(0, count).join('_')))) return true
  const meant = nearest(name)
  const slipsMax = name.length > SHORT || lettersOf(name) === lettersOf(meant) ? SLIPS_MAX : 1
  return name.includes('_') && distance(name, meant) <= slipsMax
}

const lettersOf = (name: string): string => [...name].sort().join('')

const nearest = (name: string): string =>
  [...KNOWN].reduce((best, each) => (distance(name, each) < distance(name, best) ? each : best))
