import { parseArgs } from 'node:util'
import { CannotTell } from '../cannot-tell.ts'
import { jobKey } from '../chain/abi.ts'
import { WHERE_FLAGS, type WhereOptions } from '../where.ts'

export interface VerifyOptions extends WhereOptions {
  /** The job's id as the chain writes it. */
  readonly key: `0x${string}`
  /** A file, or `-` for standard input. */
  readonly text: string | undefined
  readonly json: boolean
}

export const USAGE = `Checks one job by the chain alone: lock, settlement, shares, proof, disputes.

  npm run verify -- JOB_ID [options]

  --text FILE       the answer that you received; - reads standard input.
                    Its hash must be the one that the worker signed
  --rpc URL         the node to ask (else RPC_URL, else the network's own).
                    Whoever trusts nobody runs one
  --contracts FILE  address file of the contracts (else CONTRACTS_FILE)
  --data-dir DIR    of a network on this machine (default .svc)
  --json            the verdict as JSON
  --help            this text

Ends with 0 when all holds, 1 when something does not, 2 when it cannot be told.
`

/** @throws {CannotTell} naming what is wrong with the command line */
export function parseOptions(args: readonly string[]): VerifyOptions | 'help' {
  const { values, positionals } = parse(args)
  if (values.help) return 'help'
  const [given, ...rest] = positionals
  if (given === undefined || rest.length > 0) {
    throw new CannotTell(`name one job\n\n${USAGE}`)
  }
  const key = jobKey(given.replace(/^chatcmpl-/, ''))
  if (!key) throw new CannotTell(`a job id is job_ and letters and digits, not "${given}"`)
  const { text, rpc, contracts, json } = values
  return { key, text, rpc, contracts, dataDir: values['data-dir'], json }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...WHERE_FLAGS,
        text: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new CannotTell(`${error.message}\n\n${USAGE}`)
  }
}
