import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Hex } from 'viem'
import { addressFault } from '../../domain/address-fault.ts'
import { type Address, toAddress } from '../../domain/ids.ts'
import {
  HOLDER_NAMES,
  HOLDERS,
  type HolderName,
  type LaterHolders,
  NAMED_LATER,
  NAMED_LATER_NAMES,
  type NamedLater,
  RULER_NAMES,
  RULERS,
  type RulerName,
  type SettingsText,
  TERM_NAMES,
  TERMS,
} from './settings.ts'

/** Something about the command line or the environment has to be changed. */
export class WrongUse extends Error {}

export interface DeployCommand {
  readonly mode: 'deploy' | 'dry-run' | 'verify'
  readonly rpcUrl: string
  readonly addressFile: string
  /** The chain must be this one, where it was named. */
  readonly chainId: number | undefined
  /** Blocks from the last inclusion on until it counts. */
  readonly confirmations: number
  /** Settings that were named, checked one by one. */
  readonly given: SettingsText
  /** Whom governance has named since. Only with `verify`. */
  readonly later: LaterHolders
  /** Only `verify` does without. */
  readonly privateKey: Hex | undefined
}

type Env = Readonly<Record<string, string | undefined>>

const kebab = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const snake = (name: string): string => kebab(name).replaceAll('-', '_').toUpperCase()

/** One setting: its flag, its variable, and how its text is checked. */
interface Flag {
  readonly name: string
  readonly env: string
  readonly takes: string
  readonly about: string
  readonly check: (text: string) => string | undefined
}

const addressFlag = (name: HolderName | RulerName | 'token', about: string): Flag => ({
  ...{ name, env: `${snake(name)}_ADDRESS`, takes: 'ADDRESS', about },
  check: addressFault,
})

const FLAGS: readonly Flag[] = [
  addressFlag('token', 'the payment token, 6 decimals'),
  ...HOLDER_NAMES.map((name) => addressFlag(name, HOLDERS[name])),
  ...RULER_NAMES.map((name) => addressFlag(name, `admin ${RULERS[name]} (default: the timelock)`)),
  ...TERM_NAMES.map((name): Flag => {
    const { min, max, unit, what } = TERMS[name]
    const check = (text: string) =>
      /^\d{1,20}$/.test(text) && BigInt(text) >= min && BigInt(text) <= max
        ? undefined
        : `must be a whole number from ${min} to ${max} (${unit})`
    const about = `${what} (${TERMS[name].default} ${unit})`
    return { name, env: snake(name), takes: 'N', about, check }
  }),
]

const line = ({ name, env, takes, about }: Flag): string =>
  `  --${kebab(name)} ${takes}\n      ${about}; ${env}\n`

export const USAGE = `Deploys all contracts to a chain, once, and checks what is there.

  DEPLOYER_PRIVATE_KEY=0x… npm run deploy -- --rpc-url URL [options]

A second run goes on where the first one stopped, and changes nothing where all is done. What was
named once is kept beside the address file and need not be named again.

  --rpc-url URL         the node; RPC_URL
  --address-file FILE   where the addresses are written, for all roles to read as CONTRACTS_FILE
                        (contracts.json); CONTRACTS_FILE
  --chain-id N          refuse any other chain; CHAIN_ID
  --confirmations N     blocks from the last inclusion on until it counts, before the address file
                        is written (1); CHAIN_CONFIRMATIONS
  --dry-run             send nothing; say each step, its gas and what it costs
  --verify              send nothing; compare code, values and roles on chain with this build and
                        with the settings. Needs no key
  --help                this text

DEPLOYER_PRIVATE_KEY pays for the gas, and holds no role in the end. Nobody else may send with it
meanwhile. It is no flag, because flags can be seen by others on the same machine.

The payment token is named, or is one that is worth nothing:
  --development-token
      deploys a token that anyone can mint, for development only

Settings, each with the variable that stands for it:
${FLAGS.map(line).join('')}
With --verify, whom governance has named since; each may be given more than once:
${NAMED_LATER_NAMES.map((name) => `  --${name} ADDRESS\n      ${NAMED_LATER[name]}\n`).join('')}
Ends with 0 when all is as asked, with 1 when it is not.
`

/** @throws {WrongUse} naming all that is wrong */
export function readCommand(args: readonly string[], env: Env): DeployCommand | 'help' {
  const values = parse(args)
  if (values.help === true) return 'help'
  const textOf = (name: string, variable: string) => {
    const flag = values[name]
    return typeof flag === 'string' ? flag : env[variable] || undefined
  }
  const mode = values.verify ? 'verify' : values['dry-run'] ? 'dry-run' : 'deploy'
  const { given, faults } = readSettings(textOf, values['development-token'] === true)
  const later = readLater(values, faults)
  const rpcUrl = textOf('rpc-url', 'RPC_URL')
  const chainId = textOf('chain-id', 'CHAIN_ID')
  const confirmations = textOf('confirmations', 'CHAIN_CONFIRMATIONS') ?? '1'
  const privateKey = env.DEPLOYER_PRIVATE_KEY || undefined
  if (mode !== 'verify' && Object.keys(later).length > 0) {
    faults.push(
      '--lister and --slasher go with --verify: governance names them once all is deployed',
    )
  }
  if (values.verify && values['dry-run']) faults.push('--verify and --dry-run are two commands')
  if (!rpcUrl || !/^https?:\/\/./.test(rpcUrl)) {
    faults.push('--rpc-url (RPC_URL) must be the http or https address of a node')
  }
  if (chainId !== undefined && !/^[1-9]\d{0,14}$/.test(chainId)) {
    faults.push('--chain-id (CHAIN_ID) must be a whole number')
  }
  if (!/^[1-9]\d{0,3}$/.test(confirmations)) {
    faults.push('--confirmations (CHAIN_CONFIRMATIONS) must be a whole number from 1 to 9999')
  }
  if (privateKey === undefined ? mode !== 'verify' : !/^0x[0-9a-fA-F]{64}$/.test(privateKey)) {
    faults.push('DEPLOYER_PRIVATE_KEY must be 0x and 64 hexadecimal digits')
  }
  if (faults.length > 0) throw new WrongUse(`${faults.join('\n')}\n--help tells more`)
  return {
    ...{ mode, given, later, rpcUrl: rpcUrl! },
    addressFile: fromCaller(textOf('address-file', 'CONTRACTS_FILE') ?? 'contracts.json'),
    chainId: chainId === undefined ? undefined : Number(chainId),
    confirmations: Number(confirmations),
    privateKey: privateKey as Hex | undefined,
  }
}

/** npm runs a script in the folder of package.json; the caller may be in another. */
const fromCaller = (path: string): string => resolve(process.env.INIT_CWD ?? '.', path)

function readSettings(
  textOf: (flag: string, variable: string) => string | undefined,
  developmentToken: boolean,
) {
  const given: Record<string, string> = developmentToken ? { token: 'development' } : {}
  const faults: string[] = []
  for (const { name, env, check } of FLAGS) {
    const text = textOf(kebab(name), env)
    if (text === undefined) continue
    const fault = check(text)
    if (fault) faults.push(`--${kebab(name)} (${env}) ${fault}, not ${text}`)
    if (name === 'token' && developmentToken) {
      faults.push('--token and --development-token: name one of them')
    }
    given[name] = text.startsWith('0x') ? text.toLowerCase() : text
  }
  return { given, faults }
}

/** @param faults what is wrong is added to them */
function readLater(values: Readonly<Record<string, unknown>>, faults: string[]): LaterHolders {
  const later: Partial<Record<NamedLater, readonly Address[]>> = {}
  for (const name of NAMED_LATER_NAMES) {
    const texts = (values[name] ?? []) as readonly string[]
    const wrong = texts.filter((text) => addressFault(text) !== undefined)
    faults.push(...wrong.map((text) => `--${name} ${addressFault(text)}, not ${text}`))
    if (texts.length > 0 && wrong.length === 0) later[name] = texts.map(toAddress)
  }
  return later
}

function parse(args: readonly string[]): Readonly<Record<string, unknown>> {
  const names = ['rpc-url', 'address-file', 'chain-id', 'confirmations']
  const texts = [...names, ...FLAGS.map(({ name }) => kebab(name))]
  const switches = ['development-token', 'dry-run', 'verify', 'help']
  try {
    const { values } = parseArgs({
      args: [...args],
      options: Object.fromEntries([
        ...texts.map((name) => [name, { type: 'string' }] as const),
        ...NAMED_LATER_NAMES.map((name) => [name, { type: 'string', multiple: true }] as const),
        ...switches.map((name) => [name, { type: 'boolean' }] as const),
      ]),
    })
    return values
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new WrongUse(`${error.message}\n--help tells more`)
  }
}

export const flagOf = (name: string): string => `--${kebab(name)}`
