import { decodeEventLog, decodeFunctionData, encodeEventTopics, type RpcLog } from 'viem'
import { toHex32 } from '../domain/ids.ts'
import { toUnixMs } from '../domain/time.ts'
import { ChainUnavailable } from '../ports/escrow.ts'
import type { ChainProposal, ProposalStateName } from '../ports/network-chain.ts'
import { computeGovernorAbi, modelRegistryAbi } from './abi.ts'
import type { Contracts } from './contracts-file.ts'
import type { Rpc } from './json-rpc.ts'
import { makeLogTail } from './log-tail.ts'
import { askOfEach, clientFor } from './many-calls.ts'

interface Options {
  readonly rpc: Rpc
  readonly contracts: Contracts
}

/** What does not change about a proposal. */
interface Proposed
  extends Pick<ChainProposal, 'id' | 'description' | 'model' | 'beginsAt' | 'endsAt' | 'tx'> {
  readonly block: number
}

const NEWEST = 50

/** In the order of the governor's numbers. */
const STATES: readonly ProposalStateName[] = [
  'pending',
  'active',
  'canceled',
  'defeated',
  'succeeded',
  'queued',
  'expired',
  'executed',
]

/** See NetworkReader.proposals. */
export function makeProposalReader({ rpc, contracts }: Options) {
  const client = clientFor(rpc)
  const governor = { address: contracts.governor, abi: computeGovernorAbi } as const
  const topics = encodeEventTopics({ abi: computeGovernorAbi, eventName: 'ProposalCreated' })
  const tail = makeLogTail({ rpc, contracts, filter: { address: governor.address, topics } })
  let known: readonly Proposed[] = []

  return async (): Promise<readonly ChainProposal[]> => {
    const head = Number(await rpc.call<string>('eth_blockNumber', []))
    const { from, logs } = await tail(head)
    const added = logs.map((log) => toProposed(log, contracts))
    known = [...known.filter(({ block }) => block < from), ...added].slice(-NEWEST)
    const newestFirst = known.toReversed()
    if (newestFirst.length === 0) return []
    // Whether a vote runs depends on the time, and an idle chain's last block may be long ago.
    const now = { blockTag: 'pending' } as const
    const ids = newestFirst.map(({ id }) => id)
    const [states, votes, etas] = await Promise.all([
      askOfEach(client, { ...governor, functionName: 'state' }, ids, now),
      askOfEach(client, { ...governor, functionName: 'proposalVotes' }, ids, now),
      askOfEach(client, { ...governor, functionName: 'proposalEta' }, ids, now),
    ]).catch((error: unknown) => {
      throw new ChainUnavailable('the proposals cannot be read', { cause: error })
    })
    return newestFirst.map(({ block: _, ...proposed }, i) => {
      const [against, inFavour, abstain] = votes[i]!
      const eta = Number(etas[i])
      return {
        ...proposed,
        state: STATES[states[i]!]!,
        votes: { for: inFavour, against, abstain },
        executableAt: eta === 0 ? null : toUnixMs(eta * 1_000),
      }
    })
  }
}

function toProposed(log: RpcLog, contracts: Contracts): Proposed {
  const { args } = decodeEventLog({
    abi: computeGovernorAbi,
    eventName: 'ProposalCreated',
    data: log.data,
    topics: log.topics as never,
  })
  const { targets, calldatas } = args
  const calls = targets.map((target, i) => ({ target, data: calldatas[i]! }))
  const retired = calls.flatMap((call) => retiredModel(call, contracts) ?? [])
  return {
    id: args.proposalId,
    description: args.description,
    model: retired[0] ?? null,
    beginsAt: toUnixMs(Number(args.voteStart) * 1_000),
    endsAt: toUnixMs(Number(args.voteEnd) * 1_000),
    tx: toHex32(log.transactionHash ?? ''),
    block: Number(log.blockNumber),
  }
}

interface Call {
  readonly target: string
  readonly data: `0x${string}`
}

function retiredModel({ target, data }: Call, { modelRegistry }: Contracts): string | undefined {
  if (target.toLowerCase() !== modelRegistry) return undefined
  try {
    const call = decodeFunctionData({ abi: modelRegistryAbi, data })
    return call.functionName === 'retire' ? call.args[0] : undefined
  } catch {
    return undefined // no call of the registry, so that it will fail
  }
}
