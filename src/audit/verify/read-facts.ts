import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, parseEventLogs } from 'viem'
import { escrowEvents, escrowReads, jobIdOf, RECORD_STATUSES, workerEvents } from '../chain/abi.ts'
import { compareCode } from '../chain/code.ts'
import type { Chain } from '../chain/connect.ts'
import type { At, JobFacts, LockFact, Rules, SettlementFact } from './facts.ts'
import { outcomeOf } from './judge.ts'
import { askedLock, publicHash, signedProof } from './read-calldata.ts'

type Key = `0x${string}`
type Event = ReturnType<typeof parseEventLogs<typeof escrowEvents>>[number]
type EventOf<Name extends Event['eventName']> = Extract<Event, { eventName: Name }>

const TRIES = 5
const AGAIN_MS = 500

/**
 * Everything that the chain says of one job, as of one moment. Of several nodes behind one address one may lag, so
 * events and memory of the contract that part are asked for again before they are held against anybody.
 */
export async function readFacts(
  chain: Chain,
  key: Key,
  textHash: string | null,
): Promise<JobFacts> {
  for (let tries = 1; ; tries++) {
    const logs = await logsOf(chain, key)
    const facts = await readAll(chain, { key, logs, textHash })
    const isOneStory = facts.record.status === outcomeOf(facts)
    // Nothing came in between, so that events and memory of the contract are of one moment.
    const isOneMoment = isOneStory && (await logsOf(chain, key)).length === logs.length
    if (isOneMoment || tries === TRIES) return facts
    await sleep(AGAIN_MS)
  }
}

const logsOf = (chain: Chain, key: Key): Promise<Log[]> => chain.logs(chain.escrow, [null, key])

interface Reading {
  readonly key: Key
  readonly logs: Log[]
  readonly textHash: string | null
}

async function readAll(chain: Chain, { key, logs, textHash }: Reading): Promise<JobFacts> {
  const { client, escrow, chainId } = chain
  const events = parseEventLogs({ abi: escrowEvents, logs })
  const at = await timesOf(chain, events)
  const pick = <Name extends Event['eventName']>(name: Name): EventOf<Name>[] =>
    events.filter((event): event is EventOf<Name> => event.eventName === name)
  const contract = { address: escrow, abi: escrowReads } as const
  const [record, rules, code, head] = await Promise.all([
    client.readContract({ ...contract, functionName: 'jobs', args: [key] }),
    readRules(chain),
    compareCode(chain),
    client.getBlock({ blockTag: 'latest' }),
  ])
  const locks = await Promise.all(
    pick('JobLocked').map(
      async (event): Promise<LockFact> => ({
        ...at(event),
        wallet: event.args.wallet,
        credits: BigInt(event.args.credits),
        tier: event.args.tier,
        asked: await askedLock(chain, event.transactionHash, key),
      }),
    ),
  )
  const tier = locks[0]?.tier ?? 0
  return {
    jobId: jobIdOf(key),
    chainId,
    escrow,
    now: Number(head.timestamp),
    locks,
    settlements: await Promise.all(
      pick('JobSettled').map((event) => readSettlement(chain, event, { tier, at: at(event) })),
    ),
    refunds: pick('JobRefunded').map((event) => ({
      ...at(event),
      wallet: event.args.wallet,
      credits: BigInt(event.args.credits),
    })),
    disputes: pick('JobDisputed').map((event) => ({
      ...at(event),
      wallet: event.args.wallet,
      workerId: event.args.workerId,
      claimedHash: publicHash(event.args.claimedHash),
    })),
    verdicts: pick('DisputeResolved').map((event) => ({
      ...at(event),
      wallet: event.args.wallet,
      upheld: event.args.upheld,
      returned: BigInt(event.args.creditsReturned),
    })),
    record: {
      ...record,
      status: RECORD_STATUSES[record.status] ?? 'none',
      credits: BigInt(record.credits),
    },
    rules,
    code,
    textHash,
  }
}

async function readSettlement(
  chain: Chain,
  { args, transactionHash }: EventOf<'JobSettled'>,
  { tier, at }: { tier: number; at: At },
): Promise<SettlementFact> {
  const contract = { address: chain.escrow, abi: escrowReads } as const
  const [price, registeredSigner, proof] = await Promise.all([
    chain.client.readContract({
      ...contract,
      functionName: 'priceOf',
      args: [tier, args.outputTokens],
    }),
    signerOf(chain, args.workerId),
    signedProof(chain, transactionHash, args.jobId),
  ])
  return {
    ...at,
    wallet: args.wallet,
    workerId: args.workerId,
    registeredSigner,
    outputHash: publicHash(args.outputHash),
    outputTokens: args.outputTokens,
    charged: BigInt(args.creditsCharged),
    returned: BigInt(args.creditsReturned),
    workerUnits: args.workerUnits,
    treasuryUnits: args.treasuryUnits,
    price,
    proof,
  }
}

/** By the registration, which stays true of a worker that has left since. */
async function signerOf(chain: Chain, workerId: number): Promise<string | null> {
  const workers = await chain.client.readContract({
    address: chain.escrow,
    abi: escrowReads,
    functionName: 'WORKERS',
  })
  const topic: Key = `0x${workerId.toString(16).padStart(64, '0')}`
  const logs = await chain.logs(workers, [null, topic])
  const [registered] = parseEventLogs({ abi: workerEvents, logs })
  return registered?.args.signer ?? null
}

async function readRules({ client, escrow }: Chain): Promise<Rules> {
  const read = { address: escrow, abi: escrowReads } as const
  const [units, share, stakedShare, expiry, dispute, arbitration] = await Promise.all([
    client.readContract({ ...read, functionName: 'UNITS_PER_CREDIT' }),
    client.readContract({ ...read, functionName: 'DEFAULT_SHARE_BPS' }),
    client.readContract({ ...read, functionName: 'STAKED_SHARE_BPS' }),
    client.readContract({ ...read, functionName: 'EXPIRY_SECONDS' }),
    client.readContract({ ...read, functionName: 'DISPUTE_SECONDS' }),
    client.readContract({ ...read, functionName: 'ARBITRATION_SECONDS' }),
  ])
  return {
    unitsPerCredit: units,
    defaultShareBps: share,
    stakedShareBps: stakedShare,
    expirySeconds: expiry,
    disputeSeconds: dispute,
    arbitrationSeconds: arbitration,
  }
}

/** Where and when each event was. */
async function timesOf({ client }: Chain, events: readonly Event[]) {
  const numbers = [...new Set(events.map(({ blockNumber }) => blockNumber))]
  const blocks = await Promise.all(numbers.map((blockNumber) => client.getBlock({ blockNumber })))
  const times = new Map(blocks.map(({ number, timestamp }) => [number, Number(timestamp)]))
  return ({ transactionHash, blockNumber }: Event): At => ({
    tx: transactionHash,
    block: Number(blockNumber),
    time: times.get(blockNumber) ?? 0,
  })
}
