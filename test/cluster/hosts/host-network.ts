import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { bundleNetwork } from '../../../src/network/bundle.mjs'
import { compileContracts, setUpChain } from '../../../src/network/chain/chain-setup.ts'
import { storeApiKey } from '../../../src/network/data/api-key.ts'
import { dataDirAt, openDataDir } from '../../../src/network/data/data-dir.ts'
import { addressOf, openKeys } from '../../../src/network/data/keys.ts'
import type { Counts } from '../../../src/network/options.ts'
import { LOOPBACK, layOutPorts } from '../../../src/network/ports.ts'
import type { Program, Role } from '../../../src/network/processes/kept-program.ts'
import { rolePrograms } from '../../../src/network/processes/roles.ts'
import { makeSupervisor } from '../../../src/network/processes/supervisor.ts'
import { makeScreen } from '../../../src/network/screen.ts'
import { findServerUrls } from '../../../src/network/servers/servers.ts'
import { waitForListener } from '../../../src/network/waiting.ts'
import type { Seen } from '../../e2e/books.ts'
import { defaultNames } from '../../fakes/default-names.ts'
import { type Hosts, makeHosts } from './namespaces.ts'
import { serverPrograms } from './servers.ts'

/** A whole network on four machines, and a fifth from which it is called. */
export interface HostNetwork extends Seen {
  readonly hosts: Hosts<HostName>
  readonly rpcUrl: string
  readonly natsUrl: string
  readonly redisUrl: string
  readonly contractsFile: string
  readonly dataDir: string
  stop(): Promise<void>
}

const HOST_NAMES = ['servers', 'front', 'actors', 'pool', 'caller'] as const
export type HostName = (typeof HOST_NAMES)[number]

const ROOT = resolve(import.meta.dirname, '../../..')
const COUNTS: Counts = { edges: 1, actors: 1, pools: 1, workers: 1 }
const FIRST_PORT = 8_080
const LISTENS_MS = 60_000
const STOP_MS = 10_000

const PLACES: Readonly<Record<Role, HostName>> = {
  ...{ nats: 'servers', redis: 'servers', chain: 'servers' },
  ...{ edge: 'front', web: 'front', actors: 'actors', pool: 'pool', worker: 'pool' },
}
/** To be reached from other machines; whatever else a role is told is where the others are. */
const ANYWHERE = '0.0.0.0'
const REACHABLE: Readonly<Record<string, string>> = {
  ...{ EDGE_HOST: ANYWHERE, WEB_HOST: ANYWHERE, MONITOR_HOST: ANYWHERE },
  ...{ POOL_HOST: ANYWHERE, POOL_INSECURE: 'true', WORKER_INSECURE: 'true', EDGE_BURST: '0' },
  ...{ WORKER_SAMPLE_TOKENS: '40', WORKER_SAMPLE_TOKEN_MS: '25', WORKER_SLOTS: '32' },
}

export async function startHostNetwork(): Promise<HostNetwork> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-hosts-'))
  const dir = dataDirAt(dataDir)
  openDataDir(dir, false)
  const screen = makeScreen(process.stdout, () => performance.now())
  const supervisor = makeSupervisor({ logs: dir.logs, say: screen.note, changed: () => {} })
  const hosts = makeHosts(HOST_NAMES)
  const stop = async () => {
    const order: readonly (readonly Role[])[] = [
      ['worker'],
      ['edge', 'web'],
      ['pool'],
      ['actors'],
      ['redis', 'nats', 'chain'],
    ]
    for (const roles of order) await supervisor.stop(roles, STOP_MS)
    screen.close()
    hosts.remove()
    rmSync(dataDir, { recursive: true, force: true })
  }

  try {
    const keys = openKeys(dir.keysFile, {
      workers: COUNTS.workers,
      names: defaultNames,
      now: Date.now(),
    })
    const ports = layOutPorts(FIRST_PORT, COUNTS)
    // `npm start` has all on this machine: the same, with each port where it is now.
    const hostOf = placesOf(ports, hosts)
    const moved = (text: string) =>
      text.replace(new RegExp(`${LOOPBACK}:(\\d+)`, 'g'), (_, port) => `${hostOf(port)}:${port}`)
    const local = findServerUrls(ports, keys, {})
    const urls = JSON.parse(moved(JSON.stringify(local))) as typeof local
    const there = (program: Program): Program => {
      const [command, ...args] = hosts.command(PLACES[program.role], program.command, program.args)
      const env = Object.entries({ ...process.env, ...program.env, ...REACHABLE }).flatMap(
        ([name, value]) => (value === undefined ? [] : [[name, moved(value)]]),
      )
      return { ...program, command, args, env: Object.fromEntries(env) }
    }

    await compileContracts(dir, screen)
    for (const program of await serverPrograms({ dir, ports, keys, address: ANYWHERE })) {
      supervisor.start(there(program))
    }
    const serversAt = hosts.addressOf('servers')
    for (const port of [ports.nats, ports.redis, ports.chain]) {
      await waitForListener(`port ${port}`, serversAt, port, LISTENS_MS)
    }
    await storeApiKey(urls.nats.operator, keys)
    const contracts = await setUpChain({ rpcUrl: urls.rpc, dir, keys, screen })
    const build = await bundleNetwork(ROOT)
    const options = { dataDir, portBase: FIRST_PORT, counts: COUNTS, upstreamUrl: undefined }
    const wiring = { root: ROOT, build, dir, ports, keys, urls }
    for (const program of rolePrograms({ ...wiring, options: { ...options, fresh: false } })) {
      supervisor.start(there(program))
    }
    return {
      ...{ hosts, dataDir, stop, contractsFile: dir.contractsFile },
      ...{ rpcUrl: urls.rpc, natsUrl: urls.nats.auditor, redisUrl: urls.redis.auditor },
      rpc_url: urls.rpc,
      chain_id: contracts.chainId,
      contracts: {
        ...{ job_escrow: contracts.jobEscrow, usdg: contracts.usdg },
        ...{ worker_staking: contracts.workerStaking, r_compute: contracts.rCompute },
        ...{ model_registry: contracts.modelRegistry, governor: contracts.governor },
        timelock: contracts.timelock,
      },
      wallet: { address: addressOf(keys.wallet), private_key: keys.wallet },
      base_urls: [`http://${hosts.addressOf('front')}:${ports.edges[0]}/v1`],
      api_key: keys.api_key,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Which machine listens on a port. */
function placesOf(ports: ReturnType<typeof layOutPorts>, hosts: Hosts<HostName>) {
  const servers = [ports.nats, ports.redis, ports.chain, ports.natsMonitor]
  return (port: string): string => {
    const number = Number(port)
    if (servers.includes(number)) return hosts.addressOf('servers')
    return hosts.addressOf(ports.pools.includes(number) ? 'pool' : 'front')
  }
}
