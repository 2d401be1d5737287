import { ConfigError } from '../../config/read.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Agent } from '../agent.ts'
import { readChallenge } from '../challenge.ts'
import type { Settings } from '../cli/settings.ts'
import { type Chain, openChain } from './chain.ts'
import { trustedContracts } from './contracts.ts'
import { otherPayee, readWorkerFacts, uncheckedPayee } from './worker-facts.ts'

const EVERY_MS = 30_000

interface Options {
  readonly settings: Settings
  readonly agent: Pick<Agent, 'report' | 'tellChain'>
  readonly log: Log
  /** Where the pools of now say that this worker's money is. */
  readonly open?: (settings: Settings) => Promise<Chain>
  readonly read?: typeof readWorkerFacts
  readonly everyMs?: number
}

const openByPool = async (settings: Settings): Promise<Chain> =>
  openChain(settings, trustedContracts(settings, await readChallenge(settings)))

/**
 * Reads earnings and stake now and then, where `--rpc` names a node. The agent works without.
 * @returns what ends it
 */
export function followChain(options: Options): () => void {
  const { settings, agent, log } = options
  const { open = openByPool, read = readWorkerFacts, everyMs = EVERY_MS } = options
  if (!settings.WORKER_RPC_URL) {
    const warning = uncheckedPayee(settings.WORKER_PAYEE)
    if (warning) log.warn(warning)
    return () => {}
  }
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let warned: string | undefined
  const current = makeCurrent(agent, () => open(settings))
  const look = async () => {
    try {
      const facts = await read(await current(), agent.report().worker)
      if (facts) agent.tellChain(facts)
      const warning = facts && otherPayee(settings.WORKER_PAYEE, facts)
      if (warning && warning !== warned) log.warn(warning)
      warned = warning
    } catch (error) {
      const message = error instanceof ConfigError ? error.message : String(error)
      log.warn(`earnings and stake are not read: ${message}`)
    }
    if (!stopped) timer = setTimeout(() => void look(), everyMs)
  }
  void look()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

/**
 * The chain of the pool that the agent serves. Its network may have moved to other contracts while the agent ran: one
 * that went on with those of before would show, week after week, what no job adds to any more.
 */
function makeCurrent(agent: Options['agent'], open: () => Promise<Chain>): () => Promise<Chain> {
  let chain: Chain | undefined
  let of: string | undefined
  return async () => {
    const pool = agent.report().poolName ?? of
    if (!chain || pool !== of) {
      chain = undefined
      chain = await open()
      of = pool
    }
    return chain
  }
}
