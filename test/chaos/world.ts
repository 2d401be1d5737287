import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type NatsCluster, startNatsCluster } from '../cluster/nats-cluster.ts'
import { MODEL } from '../e2e/calls.ts'
import { type MixedCaller, makeCallers } from '../e2e/mixed/callers.ts'
import { untilServed } from '../e2e/until.ts'
import { freePortBase } from '../network/free-ports.ts'
import { type Network, type NetworkOptions, startNetwork } from '../network/network.ts'
import type { Way } from './cuts.ts'
import { type Between, layWays, type Routes } from './ways.ts'

/** A whole network whose connections, clocks and disk can be tampered with from outside. */
export interface World {
  readonly network: Network
  readonly callers: readonly MixedCaller[]
  readonly counts: Counts
  /** Between the processes of a role and a server (or the pools, for workers). */
  ways(between: Between): readonly Way[]
  /** By how much a process' clock is wrong from now on; 0: right again. */
  setClock(pid: number, wrongMs: number): void
  /** Where the journal is kept, when it is a disk of its own that can be filled. */
  readonly smallDisk: string | undefined
  /** The three nats-servers, when the network stands on a cluster. */
  readonly cluster: NatsCluster | undefined
  /** Keeps what the network has written, for whoever looks for the cause. */
  keepRemains(folder: string): void
  stop(): Promise<void>
}

export interface WorldOptions {
  readonly windowSeconds: number
  /** The journal on a disk of so many megabytes. Needs the right to mount. */
  readonly smallDiskMegabytes?: number
  /** On three nats-servers instead of one. */
  readonly cluster?: boolean
}

interface Counts {
  readonly edges: number
  readonly actors: number
  readonly pools: number
  readonly workers: number
}

const COUNTS: Counts = { edges: 2, actors: 2, pools: 2, workers: 4 }
const IN_ROLE = pathToFileURL(join(import.meta.dirname, 'in-role.mjs')).href
/** What each wallet begins with: enough for a night. */
const CREDITS = 1_000_000n
const WALLETS = 3
const SERVED_MS = 60_000
/** A first start compiles contracts, beside whatever else the machine does. */
const START_MS = 600_000

export async function makeWorld(options: WorldOptions): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-chaos-'))
  const undo: (() => unknown)[] = [() => rmSync(dataDir, { recursive: true, force: true })]
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    return { ...(await build(options, dataDir, undo)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** @param undo takes what ends each thing that was begun; the last one goes first */
async function build(
  options: WorldOptions,
  dataDir: string,
  undo: (() => unknown)[],
): Promise<Omit<World, 'stop'>> {
  const clocks = join(dataDir, 'clocks')
  mkdirSync(clocks)
  const cluster = options.cluster ? await startNatsCluster() : undefined
  undo.push(() => cluster?.stop())
  const portBase = await freePortBase()
  const { ways, routes } = await layWays({
    ...{ portBase, counts: COUNTS },
    natsPorts: cluster?.url.split(',').map((url) => Number(new URL(url).port)),
  })
  undo.push(() => {
    for (const way of [...ways.values()].flat()) way.close()
  })
  const settings = settingsOf(options, { dataDir, portBase, routes, clocks, cluster })
  const first = await startNetwork(settings)
  let [network, smallDisk] = [first, undefined as string | undefined]
  undo.push(() => network.stop())
  if (options.smallDiskMegabytes !== undefined) {
    await first.stop()
    const mounted = mountSmall(dataDir, options.smallDiskMegabytes)
    undo.splice(-1, 1, () => execFileSync('umount', [mounted]))
    smallDisk = mounted
    network = await startNetwork(settings)
    undo.push(() => network.stop())
  }
  await untilServed(network, MODEL, COUNTS.workers, SERVED_MS)
  const made = await makeCallers(network, CREDITS)
  return {
    network,
    // Neither the wallet of the network, whose credits are few, nor the poor one.
    callers: made.slice(1, 1 + WALLETS),
    counts: COUNTS,
    ways: (between) => ways.get(between) ?? [],
    setClock: (pid, wrongMs) => {
      const file = join(clocks, String(pid))
      if (wrongMs === 0) rmSync(file, { force: true })
      else writeFileSync(file, String(wrongMs))
    },
    smallDisk,
    cluster,
    keepRemains: (folder) => {
      mkdirSync(folder, { recursive: true })
      cluster?.keepLogs(folder)
      cpSync(join(dataDir, 'logs'), join(folder, 'logs'), { recursive: true })
      writeFileSync(join(folder, 'screen'), network.screen())
    },
  }
}

interface Places {
  readonly dataDir: string
  readonly portBase: number
  readonly routes: Routes
  readonly clocks: string
  readonly cluster: NatsCluster | undefined
}

const settingsOf = (options: WorldOptions, places: Places): NetworkOptions => ({
  dataDir: places.dataDir,
  portBase: places.portBase,
  startPatienceMs: START_MS,
  flags: Object.entries(COUNTS).flatMap(([name, count]) => [`--${name}`, String(count)]),
  env: {
    ...places.cluster?.env,
    NODE_OPTIONS: `--import=${IN_ROLE}`,
    CHAOS_ROUTES: JSON.stringify(places.routes),
    CHAOS_CLOCKS: places.clocks,
    JOB_WINDOW_SECONDS: String(options.windowSeconds),
    // So that a run with dear blocks sees transactions replaced.
    CHAIN_STUCK_SECONDS: '2',
    WORKER_SAMPLE_TOKENS: '40',
    WORKER_SAMPLE_TOKEN_MS: '25',
    WORKER_SLOTS: '32',
  },
})

/** The journal of a network that has been started once moves to a disk of its own. */
function mountSmall(dataDir: string, megabytes: number): string {
  const [store, aside] = [join(dataDir, 'nats'), join(dataDir, 'nats-aside')]
  renameSync(store, aside)
  mkdirSync(store)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', store])
  cpSync(aside, store, { recursive: true })
  rmSync(aside, { recursive: true })
  return store
}
