import {
  createPublicClient,
  type Hex,
  http,
  isAddressEqual,
  parseEventLogs,
  stringToHex,
  TransactionReceiptNotFoundError,
} from 'viem'
import { JOB_STATUSES, jobEscrowAbi, workerStakingAbi } from '../../../../../chain/abi.ts'
import type { JobLife, WebConfig } from '../../../../api.ts'
import type { At, ChainFacts, SettlementFact } from './facts.ts'
import { readSigned } from './read-signed.ts'
import type { Source } from './source.ts'

type Job = JobLife['job']

const BYTES32 = 32

/**
 * Reads a job from a node of the chain. Our API only says in which transactions to look: what stands
 * in them, and what the contract remembers, is the node's word.
 */
export async function readJob({ chain }: WebConfig, { id, on_chain }: Job): Promise<ChainFacts> {
  const client = createPublicClient({ transport: http(chain.rpc_url, { batch: true }) })
  const source: Source = {
    client,
    escrow: on_chain.escrow_address,
    chainId: await client.getChainId(),
    key: stringToHex(id, { size: BYTES32 }),
  }
  const [locked, settled, refunded, disputed] = await Promise.all([
    eventOf(source, on_chain.escrow_tx, 'JobLocked'),
    eventOf(source, on_chain.settlement_tx, 'JobSettled'),
    eventOf(source, on_chain.refund_tx, 'JobRefunded'),
    eventOf(source, on_chain.dispute_tx, 'JobDisputed'),
  ])
  // Last: a memory from before the events would seem to contradict them.
  const about = { functionName: 'jobs', args: [source.key] } as const
  const record = await client.readContract({ ...contractOf(source), ...about })
  return {
    chainId: source.chainId,
    escrow: source.escrow,
    record: {
      ...record,
      status: JOB_STATUSES[record.status] ?? 'None',
      credits: BigInt(record.credits),
    },
    lock: locked && {
      ...atOf(locked),
      wallet: locked.args.wallet,
      credits: BigInt(locked.args.credits),
      tier: locked.args.tier,
    },
    settlement: settled && (await settlementOf(source, settled)),
    refund: refunded && { ...atOf(refunded), credits: BigInt(refunded.args.credits) },
    dispute: disputed && { ...atOf(disputed), claimedHash: disputed.args.claimedHash },
    isEndTold: on_chain.block_number !== null,
  }
}

const contractOf = ({ escrow }: Source) => ({ address: escrow, abi: jobEscrowAbi }) as const

type Event = ReturnType<typeof parseEventLogs<typeof jobEscrowAbi>>[number]
type EventOf<Name extends Event['eventName']> = Extract<Event, { eventName: Name }>

const atOf = ({ transactionHash, blockNumber }: Event): At => ({
  tx: transactionHash,
  block: blockNumber,
})

/** The escrow's own event of this job in a transaction; null: there is none. */
async function eventOf<const Name extends Event['eventName']>(
  { client, escrow, key }: Source,
  hash: Hex | null,
  name: Name,
): Promise<EventOf<Name> | null> {
  if (hash === null) return null
  const receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
    if (error instanceof TransactionReceiptNotFoundError) return null // in no block
    throw error
  })
  const own = receipt?.logs.filter(({ address }) => isAddressEqual(address, escrow)) ?? []
  const found = parseEventLogs({ abi: jobEscrowAbi, logs: own }).find(
    (event): event is EventOf<Name> =>
      event.eventName === name && 'jobId' in event.args && event.args.jobId === key,
  )
  return found ?? null
}

async function settlementOf(source: Source, event: EventOf<'JobSettled'>): Promise<SettlementFact> {
  const { client } = source
  const { args } = event
  const staking = await client.readContract({ ...contractOf(source), functionName: 'WORKERS' })
  const [worker, signed] = await Promise.all([
    client.readContract({
      address: staking,
      abi: workerStakingAbi,
      functionName: 'workers',
      args: [args.workerId],
    }),
    readSigned(source, event.transactionHash),
  ])
  return {
    ...atOf(event),
    workerId: args.workerId,
    registered: worker.signer,
    outputHash: args.outputHash,
    outputTokens: args.outputTokens,
    charged: BigInt(args.creditsCharged),
    returned: BigInt(args.creditsReturned),
    workerUnits: args.workerUnits,
    treasuryUnits: args.treasuryUnits,
    signed,
  }
}
