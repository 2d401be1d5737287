import type { ServiceNames } from '../domain/service-names.ts'
import { compileContracts, setUpChain, untilChainIsKept } from './chain/chain-setup.ts'
import { hasChainState } from './chain/chain-state.ts'
import { storeApiKey } from './data/api-key.ts'
import type { DataDir } from './data/data-dir.ts'
import { makeHeldDir } from './data/held-dir.ts'
import { openKeys } from './data/keys.ts'
import type { Options } from './options.ts'
import { LOOPBACK, layOutPorts, type Ports, requireUsablePorts } from './ports.ts'
import type { Program, Role } from './processes/kept-program.ts'
import { waitForModels } from './processes/readiness.ts'
import { rolePrograms } from './processes/roles.ts'
import { makeSupervisor } from './processes/supervisor.ts'
import type { Screen } from './screen.ts'
import { findServerUrls, neededPorts, startChain, startServers } from './servers/servers.ts'
import { summary } from './summary.ts'
import { waitForListener } from './waiting.ts'
import { buildWebApp, webAppIsCurrent } from './web-app.mjs'

export interface Network {
  /** Resolves once a pasted request would be answered. */
  readonly ready: Promise<void>
  isStopping(): boolean
  /** Ends every process, those that serve callers first, and leaves the state behind. */
  stop(): Promise<void>
  /** Ends every process at once. */
  kill(): void
}

export interface NetworkSettings {
  /** Folder of package.json. */
  readonly root: string
  /** Folder of the bundles. */
  readonly build: string
  readonly options: Options
  readonly names: ServiceNames
  readonly dir: DataDir
  readonly screen: Screen
  /** What the curl line to paste needs beside the request; begins with a space, or is empty. */
  readonly curlOptions: string
}

// Each group may still need the ones after it while it ends its work.
const STOP_ORDER: readonly (readonly Role[])[] = [
  ['worker'],
  ['edge', 'web'],
  ['pool'],
  ['actors'],
  ['redis', 'nats', 'chain'],
]
const STOP_PATIENCE_MS = 10_000
const POOL_PATIENCE_MS = 120_000
const WEB_PATIENCE_MS = 120_000

export function startNetwork(settings: NetworkSettings): Network {
  const { root, build, options, names, dir, screen, curlOptions } = settings
  let stopping = false

  const held = makeHeldDir({ dir, screen, running: () => supervisor.running() })
  const supervisor = makeSupervisor({ logs: dir.logs, say: screen.note, changed: held.record })

  async function bringUp(): Promise<void> {
    await held.take(options.fresh)
    const ports = layOutPorts(options.portBase, options.counts)
    const { workers } = options.counts
    const keys = openKeys(dir.keysFile, { workers, names, now: Date.now() })
    const urls = findServerUrls(ports, keys, process.env)
    await requireUsablePorts(neededPorts(ports, urls))
    const servers = { dir, ports, keys, screen, start: supervisor.start }

    const chainReady = async () => {
      const isNew = !hasChainState(dir.chainState)
      await Promise.all([compileContracts(dir, screen), startChain(servers)])
      const contracts = await setUpChain({ rpcUrl: urls.rpc, dir, keys, screen })
      return { contracts, kept: isNew ? untilChainIsKept(dir, Date.now()) : undefined }
    }
    const keyReady = async () => {
      await startServers(servers, urls)
      await storeApiKey(urls.nats.operator, keys)
    }
    const [chain] = await Promise.all([chainReady(), keyReady(), webAppReady(root, screen)])

    const programs = rolePrograms({ root, build, dir, ports, keys, options, urls })
    const models = await screen.step('edge, web app, actors, pool and workers', async () => {
      await startRoles(programs, ports)
      await waitForListener('the web app', LOOPBACK, ports.web, WEB_PATIENCE_MS)
      return waitForModels({ programs, ports, keys, names, options, screen })
    })

    const { rpc: rpcUrl, nats, redis } = urls
    const { operator: natsUrl } = nats
    const { operator: redisUrl } = redis
    await chain.kept
    const facts = { ports, rpcUrl, natsUrl, redisUrl, contracts: chain.contracts, keys }
    held.tell(facts)
    screen.note(summary(facts, dir, { model: models[0], curlOptions }))
  }

  async function startRoles(programs: readonly Program[], ports: Ports): Promise<void> {
    const isWorker = (program: Program) => program.role === 'worker'
    for (const program of programs) if (!isWorker(program)) supervisor.start(program)
    // A worker that finds no pool waits longer each time; better to let it find one at once.
    await Promise.all(
      ports.pools.map((port) => waitForListener('the pool', LOOPBACK, port, POOL_PATIENCE_MS)),
    )
    for (const program of programs) if (isWorker(program)) supervisor.start(program)
  }

  async function stop(): Promise<void> {
    stopping = true
    for (const roles of STOP_ORDER) await supervisor.stop(roles, STOP_PATIENCE_MS)
    held.leave()
  }

  return {
    ready: bringUp(),
    isStopping: () => stopping,
    stop,
    kill: () => {
      supervisor.kill()
      held.leave()
    },
  }
}

/** The API does without it: callers are not turned away for a page that cannot be built. */
async function webAppReady(root: string, screen: Screen): Promise<void> {
  if (webAppIsCurrent(root)) return
  await screen
    .step('web app', () => buildWebApp(root))
    .catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      screen.note(`✗ ${reason}\n  The web app is served as it was built last, if ever.`)
    })
}
