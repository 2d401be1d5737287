import { ConfigError } from '../../config/read.ts'
import { toAddress } from '../../domain/ids.ts'
import { openChain } from '../chain/chain.ts'
import { findContracts, type WorkerContracts } from '../chain/contracts.ts'
import { HOW_TO_REGISTER, readFactsOfAny, type WorkerFacts } from '../chain/worker-facts.ts'
import type { Settings } from '../cli/settings.ts'
import { existingAddress } from '../key/open-key.ts'
import { ask } from '../local/control.ts'
import { statusLines, tokens, usdg } from '../status/line.ts'
import type { AgentReport } from '../status/report.ts'

/** What `status` shows: the agent that runs here, and the worker on chain. */
interface Status {
  readonly worker: string
  /** Null where none runs on this machine. */
  readonly agent: AgentReport | null
  readonly contracts: WorkerContracts | null
  /** Null where it was not read; `unread` says why. */
  readonly chain: WorkerFacts | null
  readonly unread: string | null
}

export async function status(settings: Settings, json: boolean): Promise<string> {
  const worker = toAddress(existingAddress(settings))
  const agent = (await ask(settings.WORKER_HOME, worker, 'status')) ?? null
  const found: Status = { worker, agent, ...(await onChain(settings, worker)) }
  return json ? JSON.stringify(found, null, 2) : told(found)
}

type OnChain = Pick<Status, 'contracts' | 'chain' | 'unread'>

async function onChain(settings: Settings, worker: WorkerFacts['payee']): Promise<OnChain> {
  if (!settings.WORKER_RPC_URL) {
    return { contracts: null, chain: null, unread: 'name a node of the chain with --rpc' }
  }
  try {
    const opened = await openChain(settings, await findContracts(settings))
    const { contracts } = opened
    const chain = await readFactsOfAny(opened, worker)
    const unread = chain ? null : `not registered yet: ${HOW_TO_REGISTER}`
    return { contracts, chain: chain ?? null, unread }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { contracts: null, chain: null, unread: error.message }
  }
}

function told({ worker, agent, chain, contracts, unread }: Status): string {
  return [
    `worker     ${worker}`,
    ...(agent ? statusLines(agent, Date.now()) : ['not running on this machine']).map(
      (line, i) => `${i === 0 ? 'agent' : ''}`.padEnd(11) + line,
    ),
    ...(chain && contracts ? chainLines(chain, contracts) : [`chain      not read: ${unread}`]),
  ].join('\n')
}

function chainLines(chain: WorkerFacts, contracts: WorkerContracts): string[] {
  const lines: [string, string][] = [
    ['chain', `${contracts.chainId}, JobEscrow ${contracts.jobEscrow}`],
    ['number', `${chain.workerId}${chain.deactivated ? ', has left for good' : ''}`],
    ['payee', chain.payee],
    ['share', `${chain.shareBps / 100} % of each charge`],
    ['earned', `${usdg(chain.earnedUnits)} USDG, of which ${usdg(chain.claimableUnits)} claimable`],
    [
      'stake',
      `${tokens(chain.stake)} RCompute (${tokens(chain.minimumStake)} for the higher share)`,
    ],
    ['unbonding', unbonding(chain)],
    ['wallet', `${tokens(chain.tokenUnits)} RCompute, ${gas(chain.gasWei)}`],
  ]
  return lines.map(([name, value]) => `${name.padEnd(11)}${value}`)
}

function unbonding({ unbonding, withdrawableAt }: WorkerFacts): string {
  if (unbonding === '0') return 'none'
  return `${tokens(unbonding)} RCompute, from ${new Date(withdrawableAt * 1_000).toISOString()}`
}

const gas = (wei: string): string =>
  wei === '0'
    ? 'no coin for gas: it cannot stake or claim by itself'
    : `${tokens(wei)} coins for gas`
