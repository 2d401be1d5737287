import type { Contracts } from '../../chain/contracts-file.ts'
import { LOOPBACK, type Ports } from '../ports.ts'
import type { Role } from '../processes/kept-program.ts'
import { baseUrl, docsUrl, explorerUrl, poolUrl, webUrl } from '../processes/roles.ts'
import type { Running } from '../processes/supervisor.ts'
import { addressOf, type Keys } from './keys.ts'
import { writeWhole } from './whole-file.ts'

/** What network.json says. Tools are built on it: fields are added, never renamed. */
export interface NetworkFile {
  /** Of the first edge; ends in /v1. */
  readonly base_url: string
  /** All edges. */
  readonly base_urls: readonly string[]
  readonly web_url: string
  /** A transaction is at /tx/<hash> below it. */
  readonly explorer_url: string
  readonly docs_url: string
  /** Of the first pool; as POOL_URL takes it. */
  readonly pool_url: string
  readonly rpc_url: string
  /** As NATS_URL takes it. */
  readonly nats_url: string
  readonly redis_url: string
  /** Monitoring endpoint of nats-server; null where the operator runs it. */
  readonly nats_monitor_url: string | null
  readonly chain_id: number
  readonly contracts: {
    readonly job_escrow: string
    readonly usdg: string
    readonly worker_staking: string
    readonly r_compute: string
    readonly model_registry: string
    readonly governor: string
    readonly timelock: string
  }
  readonly wallet: { readonly address: string; readonly private_key: string }
  /** Decides disputes, with a transaction of its own: see src/contracts/README.md. */
  readonly arbiter: { readonly address: string; readonly private_key: string }
  /** Signs vouchers for withdrawals at once. Sends nothing. */
  readonly withdrawal_signer: { readonly address: string; readonly private_key: string }
  /** May stop deposits and locks, with a transaction of its own. */
  readonly pauser: { readonly address: string; readonly private_key: string }
  readonly api_key: string
  /** What runs at this moment. `monitor_url`: /metrics, /healthz and /readyz are below it. */
  readonly processes: readonly (Running & { readonly monitor_url: string | null })[]
}

export interface NetworkFacts {
  readonly ports: Ports
  readonly rpcUrl: string
  readonly natsUrl: string
  readonly redisUrl: string
  readonly contracts: Contracts
  readonly keys: Keys
}

export function writeNetworkFile(
  file: string,
  { ports, rpcUrl, natsUrl, redisUrl, contracts, keys }: NetworkFacts,
  processes: readonly Running[],
): void {
  const network: NetworkFile = {
    base_url: baseUrl(ports.edges[0]!),
    base_urls: ports.edges.map(baseUrl),
    web_url: webUrl(ports),
    explorer_url: explorerUrl(ports),
    docs_url: docsUrl({ ports }),
    pool_url: poolUrl(ports.pools[0]!),
    rpc_url: rpcUrl,
    nats_url: natsUrl,
    redis_url: redisUrl,
    nats_monitor_url: process.env.NATS_URL ? null : `http://${LOOPBACK}:${ports.natsMonitor}`,
    chain_id: contracts.chainId,
    contracts: {
      job_escrow: contracts.jobEscrow,
      usdg: contracts.usdg,
      worker_staking: contracts.workerStaking,
      r_compute: contracts.rCompute,
      model_registry: contracts.modelRegistry,
      governor: contracts.governor,
      timelock: contracts.timelock,
    },
    wallet: { address: addressOf(keys.wallet), private_key: keys.wallet },
    arbiter: { address: addressOf(keys.arbiter), private_key: keys.arbiter },
    withdrawal_signer: {
      address: addressOf(keys.withdrawal_signer),
      private_key: keys.withdrawal_signer,
    },
    pauser: { address: addressOf(keys.pauser), private_key: keys.pauser },
    api_key: keys.api_key,
    processes: processes.map(({ role, pid, name }) => ({
      ...{ role, pid, name },
      monitor_url: monitorUrl(ports, role, name),
    })),
  }
  // It holds keys, so it is for the owner's eyes.
  writeWhole(file, `${JSON.stringify(network, null, 2)}\n`, 0o600)
}

function monitorUrl(ports: Ports, role: Role, name: string): string | null {
  const port = ports.monitorOf(role, Number(name.split('-').at(-1)) - 1)
  return port === 0 ? null : `http://${LOOPBACK}:${port}`
}
