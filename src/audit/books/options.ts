import { parseArgs } from 'node:util'
import { CannotTell } from '../cannot-tell.ts'
import { fromCaller } from '../command-line.ts'
import { DEFAULT_DATA_DIR, findNetwork, findWhere, WHERE_FLAGS, type Where } from '../where.ts'

export interface AuditOptions {
  readonly where: Where
  readonly natsUrl: string
  readonly redisUrl: string
  readonly patienceMs: number
  readonly json: boolean
}

export const USAGE = `Proves the books: chain, journal and views, wallet by wallet and job by job.

  npm run audit -- [options]

  --data-dir DIR      of a network on this machine (default .svc)
  --rpc URL           the node to ask (else RPC_URL)
  --contracts FILE    address file of the contracts (else CONTRACTS_FILE)
  --nats URL          servers of the journal (else NATS_URL)
  --redis URL         server of the views (else REDIS_URL)
  --patience SECONDS  how long a job may move before it counts as a difference (default 45)
  --json              the books as JSON
  --help              this text

Ends with 0 when the books are right, 1 on any difference, 2 when it cannot be told.
`

const PATIENCE_SECONDS = '45'

/** @throws {CannotTell} naming what is wrong with the command line, or what is not known */
export function parseOptions(args: readonly string[]): AuditOptions | 'help' {
  const values = parse(args)
  if (values.help) return 'help'
  const dataDir = values['data-dir']
  // A directory that was named is meant as a whole, whatever the environment says.
  const env = dataDir === undefined ? process.env : {}
  const network = findNetwork(dataDir === undefined ? DEFAULT_DATA_DIR : fromCaller(dataDir))
  return {
    where: findWhere({ rpc: values.rpc, contracts: values.contracts, dataDir }),
    natsUrl: known('--nats', values.nats || env.NATS_URL || network?.nats_url),
    redisUrl: known('--redis', values.redis || env.REDIS_URL || network?.redis_url),
    patienceMs: seconds(values.patience) * 1_000,
    json: values.json,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        ...WHERE_FLAGS,
        nats: { type: 'string' },
        redis: { type: 'string' },
        patience: { type: 'string', default: PATIENCE_SECONDS },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new CannotTell(`${error.message}\n\n${USAGE}`)
  }
}

function known(flag: string, url: string | undefined): string {
  if (url) return url
  throw new CannotTell(`which server to ask is not known: name it with ${flag} URL`)
}

function seconds(text: string): number {
  const value = Number(text)
  if (text !== '' && value >= 0 && value <= 3_600) return value
  throw new CannotTell(`--patience takes seconds from 0 to 3600, not "${text}"`)
}
