import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { OperatorError } from '../domain/operator-error.ts'

/** What `npm start` was asked to do. */
export interface Options {
  /** Absolute. */
  readonly dataDir: string
  readonly portBase: number
  readonly counts: Counts
  /** OpenAI-compatible server behind the workers; undefined: the sample engine. */
  readonly upstreamUrl: string | undefined
  readonly fresh: boolean
}

export interface Counts {
  readonly edges: number
  readonly actors: number
  readonly pools: number
  readonly workers: number
}

/** The command line is wrong: the message says how, the usage text follows. */
export class UsageError extends OperatorError {}

export const USAGE = `Starts a whole network on this machine and keeps it running until Ctrl-C.

  npm start -- [options]

  --data-dir DIR    where state, logs and network.json live (default .svc)
  --port-base N     first of 80 ports that the network may use (default 8080):
                    edges N to N+9, pools N+10 to N+19, NATS N+20 (monitor N+23), Redis N+21,
                    chain N+22, web app N+24; figures of workers N+25 on, of edges N+40 on,
                    of pools N+50 on, of the web app N+60, of actors N+61 on
  --edges N         how many of each run: edges and pools up to 10,
  --actors N        actors and workers as many as you like
  --pools N         (default 1 of each, 2 workers)
  --workers N
  --upstream URL    an OpenAI-compatible server behind the workers (ends in /v1)
                    instead of the sample engine; they serve what it and the catalogue list,
                    and by WORKER_MODELS=id=its-name in the environment what it calls otherwise
  --fresh           forget the state in the data directory first
  --help            this text

NATS_URL and REDIS_URL in the environment name running servers to use instead of starting them.
Every other variable of the schemas in src/config reaches each role.
`

const MOST_PER_PORT_RANGE = 10
/** The span of ports from the base that a network may use. */
export const PORT_SPAN = 80

/** @throws {UsageError} */
export function parseOptions(args: readonly string[], cwd: string): Options | 'help' {
  const values = parse(args)
  if (values.help) return 'help'
  return {
    dataDir: resolve(cwd, folder('data-dir', values['data-dir'])),
    portBase: wholeNumber('port-base', values['port-base'], 1024, 65_535 - PORT_SPAN),
    counts: {
      edges: wholeNumber('edges', values.edges, 1, MOST_PER_PORT_RANGE),
      actors: wholeNumber('actors', values.actors, 1, 64),
      pools: wholeNumber('pools', values.pools, 1, MOST_PER_PORT_RANGE),
      workers: wholeNumber('workers', values.workers, 0, 1_000),
    },
    upstreamUrl: values.upstream === undefined ? undefined : httpUrl(values.upstream),
    fresh: values.fresh,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        'data-dir': { type: 'string', default: '.svc' },
        'port-base': { type: 'string', default: '8080' },
        edges: { type: 'string', default: '1' },
        actors: { type: 'string', default: '1' },
        pools: { type: 'string', default: '1' },
        workers: { type: 'string', default: '2' },
        upstream: { type: 'string' },
        fresh: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new UsageError(error.message)
  }
}

/** An empty variable in its place would have the state of a network lie wherever the operator is. */
function folder(name: string, text: string): string {
  if (text !== '') return text
  throw new UsageError(`--${name} takes a folder, not ""`)
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (text !== '' && Number.isInteger(value) && value >= min && value <= max) return value
  throw new UsageError(`--${name} takes a whole number from ${min} to ${max}, not "${text}"`)
}

function httpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text.replace(/\/+$/, '')
  throw new UsageError(`--upstream takes an http or https address, not "${text}"`)
}
