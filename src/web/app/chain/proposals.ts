import { type Address, encodeEventTopics, type Hex, keccak256, stringToBytes } from 'viem'
import { computeGovernorAbi } from '../../../chain/abi.ts'
import type { WebConfig } from '../../api.ts'
import { callOf } from './calls.ts'
import { type ChainClock, readClock } from './clock.ts'
import type { ChainEvent } from './events.ts'
import { readHistory } from './history.ts'
import { readerOf } from './reader.ts'

/** In the order of the contract. */
const STATES = [
  ...(['Pending', 'Active', 'Canceled', 'Defeated'] as const),
  ...(['Succeeded', 'Queued', 'Expired', 'Executed'] as const),
] as const
export type ProposalState = (typeof STATES)[number]

export interface ChainProposal {
  readonly id: bigint
  readonly proposer: Address
  readonly description: string
  /** What it would have the timelock call. */
  readonly targets: readonly Address[]
  readonly values: readonly bigint[]
  readonly calldatas: readonly Hex[]
  readonly title: string
  /** Of a proposal to retire one model, or to keep it after all. */
  readonly model: string | undefined
  readonly state: ProposalState
  readonly votes: { readonly for: bigint; readonly against: bigint; readonly abstain: bigint }
  /** What for and abstain must come to; null before the vote, when nobody knows it. */
  readonly quorum: bigint | null
  readonly votingBeginsAt: string
  readonly votingEndsAt: string
  /** Null: it is not queued. */
  readonly executableAt: string | null
  readonly isExecutable: boolean
  /** Block time at which votes are counted, in seconds. */
  readonly snapshot: bigint
  readonly tx: Hex
}

const governor = ({ contracts }: WebConfig) =>
  ({ address: contracts.governor, abi: computeGovernorAbi }) as const
const CREATED = encodeEventTopics({ abi: computeGovernorAbi, eventName: 'ProposalCreated' })[0]!
/** Beyond these a page says that there are older ones. */
const SHOWN = 50

export interface ProposalPage {
  /** Newest first. */
  readonly proposals: readonly ChainProposal[]
  readonly older: 'none' | 'not shown' | 'looked for'
}

/** How the governor knows a proposal again. The words as they are: of hexadecimal ones `toBytes` makes other bytes. */
export const partsOf = ({
  targets,
  values,
  calldatas,
  description,
}: Pick<ChainProposal, 'targets' | 'values' | 'calldatas' | 'description'>) =>
  [targets, values, calldatas, keccak256(stringToBytes(description))] as const

/** A vote and its timelock take longer than one look reaches back on a chain with quick blocks. */
export async function readProposals(web: WebConfig): Promise<ProposalPage> {
  const search = { address: [web.contracts.governor], topics: [[CREATED]] }
  const [{ events, next }, clock] = await Promise.all([
    readHistory(web, search, SHOWN),
    readClock(web),
  ])
  const latest = events.slice(0, SHOWN)
  const proposals = await Promise.all(latest.map((event) => readProposal(web, event, clock)))
  if (events.length > SHOWN) return { proposals, older: 'not shown' }
  if (next === null) return { proposals, older: 'none' }
  return { proposals, older: events.length < SHOWN ? 'looked for' : 'not shown' }
}

async function readProposal(
  web: WebConfig,
  { args, tx }: ChainEvent,
  clock: ChainClock,
): Promise<ChainProposal> {
  const client = readerOf(web)
  const id = args.proposalId as bigint
  const about = { ...governor(web), args: [id] } as const
  const [stateNumber, [against, inFavour, abstain], eta] = await Promise.all([
    client.readContract({ ...about, functionName: 'state' }),
    client.readContract({ ...about, functionName: 'proposalVotes' }),
    client.readContract({ ...about, functionName: 'proposalEta' }),
  ])
  const snapshot = args.voteStart as bigint
  const isCounting = snapshot < BigInt(clock.seconds)
  const quorum = isCounting
    ? await client.readContract({ ...governor(web), functionName: 'quorum', args: [snapshot] })
    : null
  const calls = {
    targets: args.targets as readonly Address[],
    calldatas: args.calldatas as readonly Hex[],
  }
  return {
    ...{ id, tx, ...calls, ...meaning(web, calls), quorum, snapshot },
    values: args.values as readonly bigint[],
    proposer: (args.proposer as string).toLowerCase() as Address,
    description: args.description as string,
    state: STATES[stateNumber] ?? 'Pending',
    votes: { for: inFavour, against, abstain },
    votingBeginsAt: clock.isoAt(snapshot),
    votingEndsAt: clock.isoAt(args.voteEnd as bigint),
    executableAt: eta === 0n ? null : clock.isoAt(eta),
    isExecutable: eta !== 0n && eta <= BigInt(clock.seconds),
  }
}

interface Calls {
  readonly targets: readonly Address[]
  readonly calldatas: readonly Hex[]
}

/** What a proposal would do, by its calls and not by what its author says of them. */
function meaning(web: WebConfig, { targets, calldatas }: Calls) {
  const calls = targets.map((target, i) => callOf(web, target, calldatas[i] ?? '0x'))
  const [first] = calls
  const model =
    calls.length === 1 && first?.contract === 'ModelRegistry' ? first.args[0] : undefined
  if (first?.name === 'retire' && typeof model === 'string') {
    return { model, title: `Retire ${model}` }
  }
  if (first?.name === 'cancelRetirement' && typeof model === 'string') {
    return { model, title: `Keep ${model} after all` }
  }
  const named = calls.map((call) => (call ? `${call.contract}.${call.name}` : 'a call of others'))
  return { model: undefined, title: `Carry out ${named.join(', ')}` }
}
