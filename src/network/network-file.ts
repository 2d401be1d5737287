import type { Contracts } from '../chain/contracts-file.ts'
import { addressOf, type Keys } from './keys.ts'
import { LOOPBACK, type Ports } from './ports.ts'
import { baseUrl, docsUrl, poolUrl } from './roles.ts'
import type { Running } from './supervisor.ts'
import { writeWhole } from './whole-file.ts'

/** What network.json says. Tools are built on it: fields are added, never renamed. */
export interface NetworkFile {
  /** Of the first edge; ends in /v1. */
  readonly base_url: string
  /** All edges. */
  readonly base_urls: readonly string[]
  /** Null until the network serves a web app. */
  readonly web_url: string | null
  /** Null until the network serves a block explorer. */
  readonly explorer_url: string | null
  readonly docs_url: string
  /** Of the first pool; as POOL_URL takes it. */
  readonly pool_url: string
  readonly rpc_url: string
  /** Monitoring endpoint of nats-server; null where the operator runs it. */
  readonly nats_monitor_url: string | null
  readonly chain_id: number
  readonly contracts: {
    readonly job_escrow: string
    readonly usdg: string
    readonly worker_staking: string
  }
  readonly wallet: { readonly address: string; readonly private_key: string }
  readonly api_key: string
  /** What runs at this moment. */
  readonly processes: readonly Running[]
}

export interface NetworkFacts {
  readonly ports: Ports
  readonly rpcUrl: string
  readonly contracts: Contracts
  readonly keys: Keys
}

export function writeNetworkFile(
  file: string,
  { ports, rpcUrl, contracts, keys }: NetworkFacts,
  processes: readonly Running[],
): void {
  const network: NetworkFile = {
    base_url: baseUrl(ports.edges[0]!),
    base_urls: ports.edges.map(baseUrl),
    web_url: null,
    explorer_url: null,
    docs_url: docsUrl({ ports }),
    pool_url: poolUrl(ports.pools[0]!),
    rpc_url: rpcUrl,
    nats_monitor_url: process.env.NATS_URL ? null : `http://${LOOPBACK}:${ports.natsMonitor}`,
    chain_id: contracts.chainId,
    contracts: {
      job_escrow: contracts.jobEscrow,
      usdg: contracts.usdg,
      worker_staking: contracts.workerStaking,
    },
    wallet: { address: addressOf(keys.wallet), private_key: keys.wallet },
    api_key: keys.api_key,
    processes: processes.map(({ role, pid, name }) => ({ role, pid, name })),
  }
  // It holds keys, so it is for the owner's eyes.
  writeWhole(file, `${JSON.stringify(network, null, 2)}\n`, 0o600)
}
