import { relative } from 'node:path'
import type { DataDir } from './data/data-dir.ts'
import { addressOf } from './data/keys.ts'
import type { NetworkFacts } from './data/network-file.ts'
import { baseUrl, poolUrl, webUrl } from './processes/roles.ts'

/** The table shown once the network is ready, and a line to paste. */
export function summary(facts: NetworkFacts, dir: DataDir, line: CurlLine): string {
  const { ports, contracts, keys, rpcUrl } = facts
  const api = ports.edges.map(baseUrl)
  const rows = [
    ['web app', webUrl(ports)],
    ['API', api.join('  ')],
    ['pool', ports.pools.map(poolUrl).join('  ')],
    ['chain', `${rpcUrl}  (id ${contracts.chainId})`],
    ['escrow', contracts.jobEscrow],
    ['wallet', addressOf(keys.wallet)],
    ['API key', keys.api_key],
    ['state', `${shortPath(dir.path)}  (network.json, logs)`],
  ]
  const table = rows.map(([name, value]) => `  ${name!.padEnd(8)} ${value}`)
  return [
    '',
    ...table,
    '',
    `  ${curlLine(api[0]!, keys.api_key, line)}`,
    '',
    '  Ctrl-C ends it.',
  ].join('\n')
}

// From where the operator is, unless that is a climb.
function shortPath(path: string): string {
  const short = relative('', path)
  return short === '' || short.startsWith('..') ? path : short
}

interface CurlLine {
  /** Undefined: none is served. */
  readonly model: string | undefined
  /** Begins with a space, or is empty. */
  readonly curlOptions: string
}

function curlLine(url: string, apiKey: string, { model, curlOptions }: CurlLine): string {
  const key = `-H 'authorization: Bearer ${apiKey}'${curlOptions}`
  if (!model) return `curl ${url}/models ${key}`
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello.' }] })
  // The name of a model is the upstream's to choose; a quote in it must not end the argument.
  const quoted = `'${body.replaceAll("'", `'\\''`)}'`
  return `curl ${url}/chat/completions ${key} -H 'content-type: application/json' -d ${quoted}`
}
