import { parseArgs } from 'node:util'
import { ConfigError } from '../../config/read.ts'
import { SETTINGS } from './settings.ts'

export const COMMANDS = {
  run: 'serve jobs until it is stopped (the default)',
  register: 'register the key on chain through the pool, which pays the gas',
  status: 'how a running agent is doing, and what the chain says of the worker',
  drain: 'let the running agent finish its jobs and leave',
  stake: 'AMOUNT: stake RCompute for the higher share',
  unstake: 'AMOUNT | all: begin to take stake out',
  withdraw: 'pay out stake whose unbonding is over, to the payee',
  claim: 'pay out earnings, to the payee',
  keys: 'new | import | show: the encrypted key of this worker',
} as const
export type CommandName = keyof typeof COMMANDS

export interface Arguments {
  readonly command: CommandName
  /** What follows the command. */
  readonly operands: readonly string[]
  /** By the names of SETTINGS. */
  readonly flags: Readonly<Record<string, string>>
  /** `--config`. */
  readonly file: string | undefined
  readonly json: boolean
  readonly printConfig: boolean
  readonly help: boolean
  readonly version: boolean
}

/** What stands behind a command, for those behind which something does. */
const OPERAND: Readonly<Partial<Record<CommandName, string>>> = {
  stake: 'an AMOUNT',
  unstake: 'an AMOUNT, or all',
  keys: 'one of new, import, show',
}

/**
 * Reads the command line.
 * @throws {ConfigError} saying what was not understood
 */
export function parseArguments(argv: readonly string[]): Arguments {
  const { values, positionals } = parse(argv)
  const { config, json, help, version, ...rest }: Record<string, unknown> = values
  const { 'print-config': printConfig, ...settings } = rest
  const [first = 'run', ...operands] = positionals
  if (!isCommand(first)) {
    throw new ConfigError(
      `there is no command ${first}; there are ${Object.keys(COMMANDS).join(', ')}`,
    )
  }
  const operand = OPERAND[first]
  if (!help && operands.length !== (operand === undefined ? 0 : 1)) {
    throw new ConfigError(`svc-worker ${first} takes ${operand ?? 'nothing behind it'}: see --help`)
  }
  const flags = Object.entries(settings).map(([name, value]) => [name, String(value)])
  return {
    command: first,
    operands,
    flags: Object.fromEntries(flags),
    file: typeof config === 'string' ? config : undefined,
    json: json === true,
    printConfig: printConfig === true,
    help: help === true,
    version: version === true,
  }
}

const isCommand = (text: string): text is CommandName => Object.hasOwn(COMMANDS, text)

function parse(argv: readonly string[]) {
  const flags = Object.values(SETTINGS)
    .filter(({ secret }) => !secret)
    .map(({ name, isSwitch }) => [name, { type: isSwitch ? 'boolean' : 'string' } as const])
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        ...Object.fromEntries(flags),
        config: { type: 'string' },
        json: { type: 'boolean' },
        'print-config': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    })
  } catch (error) {
    throw new ConfigError(`${(error as Error).message}. See svc-worker --help`)
  }
}
