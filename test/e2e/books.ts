import { createPublicClient, http, type PublicClient, parseAbi, parseEventLogs } from 'viem'
import type { Network } from '../network/network.ts'

/**
 * An auditor with its own arithmetic: it reads the chain's logs and the contracts' storage, and asks
 * the house nothing but what it shows to a caller.
 */
export interface Books {
  readonly jobs: ReadonlyMap<string, JobOnChain>
  /** Credits that the wallet can spend, by the chain. */
  readonly available: bigint
}

/** All that the chain says of one job. Credits. */
export interface JobOnChain {
  readonly locked: bigint
  readonly lockTx: string
  readonly end:
    | {
        readonly type: 'settled'
        readonly tx: string
        readonly charged: bigint
        readonly returned: bigint
        readonly outputHash: string
      }
    | { readonly type: 'refunded'; readonly tx: string; readonly returned: bigint }
    | null
}

const escrowAbi = parseAbi([
  'event Deposited(address indexed wallet, address indexed payer, uint64 credits)',
  'event JobLocked(bytes32 indexed jobId, address indexed wallet, uint32 credits, uint8 tier)',
  'event JobSettled(bytes32 indexed jobId, address indexed wallet, uint32 indexed workerId, bytes32 outputHash, uint32 outputTokens, uint32 creditsCharged, uint32 creditsReturned, uint64 workerUnits, uint64 treasuryUnits)',
  'event JobRefunded(bytes32 indexed jobId, address indexed wallet, uint32 credits)',
  'function accounts(address) view returns (uint64 available, uint64 locked, uint64 thawing, uint40 lastDepositAt)',
  'function earnings(uint32) view returns (uint256)',
  'function treasuryUnits() view returns (uint256)',
])
const tokenAbi = parseAbi(['function balanceOf(address) view returns (uint256)'])

const UNITS_PER_CREDIT = 10_000n
/** By tier as the chain numbers them: flat price, price of 1 000 tokens above 500. */
const PRICES = [
  [2n, 1n],
  [8n, 4n],
  [18n, 9n],
  [40n, 20n],
] as const
const WORKER_PERCENT = 75n
const LOOK_MS = 100

/**
 * Waits until nothing is locked, then checks every entry since the first block, and that the house
 * tells the same balance.
 * @throws naming each thing that is wrong, or what is still locked at the deadline
 */
export async function audit(network: Network, withinMs: number): Promise<Books> {
  const deadline = performance.now() + withinMs
  let wrong: readonly string[] = []
  do {
    const read = await readChain(network).catch((error: unknown) => String(error))
    if (typeof read === 'string') wrong = [`the chain cannot be read: ${read}`]
    else {
      wrong = [...read.flaws, ...unfinished(read)]
      // What is broken stays broken; what is unfinished may only be slow.
      if (read.flaws.length > 0) break
      if (wrong.length === 0) wrong = await accountFlaws(network, read.account.available)
      if (wrong.length === 0) return { jobs: read.jobs, available: read.account.available }
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  } while (performance.now() < deadline)
  throw new Error(`the books are wrong after ${withinMs} ms:\n${wrong.slice(0, 20).join('\n')}`)
}

interface Reading {
  readonly jobs: ReadonlyMap<string, JobOnChain>
  readonly flaws: readonly string[]
  readonly account: { readonly available: bigint; readonly locked: bigint }
}

const unfinished = ({ jobs, account }: Reading): string[] => [
  ...[...jobs].flatMap(([id, { end }]) => (end ? [] : [`${id} is locked and has no end`])),
  ...(account.locked === 0n ? [] : [`${account.locked} credits are locked`]),
]

async function readChain(network: Network): Promise<Reading> {
  const client = createPublicClient({ transport: http(network.rpc_url, { timeout: 5_000 }) })
  // Twice the same head: no block came in between, so that all of it is one state.
  for (;;) {
    const head = await client.getBlockNumber({ cacheTime: 0 })
    const reading = await readState(client, network)
    if ((await client.getBlockNumber({ cacheTime: 0 })) === head) return reading
  }
}

async function readState(client: PublicClient, network: Network): Promise<Reading> {
  const escrow = network.contracts.job_escrow as `0x${string}`
  const wallet = network.wallet.address as `0x${string}`
  const read = { address: escrow, abi: escrowAbi } as const
  const [logs, [available, locked], treasury, held] = await Promise.all([
    client.getLogs({ address: escrow, fromBlock: 0n, toBlock: 'latest' }),
    client.readContract({ ...read, functionName: 'accounts', args: [wallet] }),
    client.readContract({ ...read, functionName: 'treasuryUnits' }),
    client.readContract({
      address: network.contracts.usdg as `0x${string}`,
      abi: tokenAbi,
      functionName: 'balanceOf',
      args: [escrow],
    }),
  ])
  const ledger = new Ledger()
  for (const event of parseEventLogs({ abi: escrowAbi, logs })) ledger.enter(event)
  const earned = await Promise.all(
    [...ledger.earned].map(async ([workerId, units]) => {
      const onChain = await client.readContract({
        ...read,
        functionName: 'earnings',
        args: [workerId],
      })
      ledger.expect(`earnings of worker ${workerId}`, onChain, units)
      return onChain
    }),
  )
  ledger.expect('treasury', treasury, ledger.treasury)
  ledger.expect('available', available, ledger.available)
  ledger.expect('locked', locked, ledger.locked)
  const owed = earned.reduce((sum, units) => sum + units, treasury)
  ledger.expect('tokens', held, (available + locked) * UNITS_PER_CREDIT + owed)
  return { jobs: ledger.jobs, flaws: ledger.flaws, account: { available, locked } }
}

type EscrowEvent = ReturnType<typeof parseEventLogs<typeof escrowAbi>>[number]

/** One wallet's accounts, rebuilt entry by entry. */
class Ledger {
  readonly jobs = new Map<string, JobOnChain>()
  readonly flaws: string[] = []
  readonly earned = new Map<number, bigint>()
  readonly #tiers = new Map<string, number>()
  treasury = 0n
  available = 0n
  locked = 0n

  enter(event: EscrowEvent): void {
    switch (event.eventName) {
      case 'Deposited':
        this.available += event.args.credits
        return
      case 'JobLocked':
        this.#lock(event)
        return
      case 'JobSettled':
        this.#settle(event)
        return
      case 'JobRefunded':
        this.#refund(event)
    }
  }

  expect(what: string, found: bigint, wanted: bigint): void {
    if (found !== wanted) this.flaws.push(`${what}: ${found}, but the entries make ${wanted}`)
  }

  #lock({ args, transactionHash }: Extract<EscrowEvent, { eventName: 'JobLocked' }>): void {
    const id = ascii(args.jobId)
    if (this.jobs.has(id)) this.flaws.push(`${id} was locked twice`)
    const locked = BigInt(args.credits)
    this.jobs.set(id, { locked, lockTx: transactionHash, end: null })
    this.#tiers.set(id, args.tier)
    this.available -= locked
    this.locked += locked
  }

  #settle({ args, transactionHash }: Extract<EscrowEvent, { eventName: 'JobSettled' }>): void {
    const id = ascii(args.jobId)
    const job = this.#open(id, 'settled')
    if (!job) return
    const charged = BigInt(args.creditsCharged)
    const returned = BigInt(args.creditsReturned)
    this.expect(`${id}: charged and returned`, charged + returned, job.locked)
    const price = priceOf(this.#tiers.get(id) ?? -1, BigInt(args.outputTokens))
    this.expect(`${id}: charge`, charged, least(price, job.locked))
    const units = charged * UNITS_PER_CREDIT
    this.expect(`${id}: worker's share`, args.workerUnits, (units * WORKER_PERCENT) / 100n)
    this.expect(`${id}: shares`, args.workerUnits + args.treasuryUnits, units)
    this.earned.set(args.workerId, (this.earned.get(args.workerId) ?? 0n) + args.workerUnits)
    this.treasury += args.treasuryUnits
    const { outputHash } = args
    const end = { type: 'settled', tx: transactionHash, charged, returned, outputHash } as const
    this.#close(id, { ...job, end }, returned)
  }

  #refund({ args, transactionHash }: Extract<EscrowEvent, { eventName: 'JobRefunded' }>): void {
    const id = ascii(args.jobId)
    const job = this.#open(id, 'refunded')
    if (!job) return
    const returned = BigInt(args.credits)
    this.expect(`${id}: refund`, returned, job.locked)
    this.#close(id, { ...job, end: { type: 'refunded', tx: transactionHash, returned } }, returned)
  }

  #open(id: string, how: string): JobOnChain | undefined {
    const job = this.jobs.get(id)
    if (!job) this.flaws.push(`${id} was ${how} and never locked`)
    else if (job.end) this.flaws.push(`${id} was ${how} after it was ${job.end.type}`)
    return job?.end ? undefined : job
  }

  #close(id: string, job: JobOnChain, returned: bigint): void {
    this.jobs.set(id, job)
    this.available += returned
    this.locked -= job.locked
  }
}

const least = (a: bigint, b: bigint): bigint => (b < a ? b : a)

function priceOf(tier: number, tokens: bigint): bigint {
  const [flat, perThousand] = PRICES[tier] ?? [-1n, 0n]
  return tokens <= 500n ? flat : flat + ((tokens - 500n) * perThousand + 999n) / 1000n
}

const ascii = (bytes32: string): string =>
  Buffer.from(bytes32.slice(2), 'hex').toString('ascii').replace(/\0+$/, '')

async function accountFlaws(network: Network, available: bigint): Promise<readonly string[]> {
  const flaws = await Promise.all(
    network.base_urls.map(async (url) => {
      const answer = await fetch(`${url}/account`, {
        headers: { authorization: `Bearer ${network.api_key}` },
        signal: AbortSignal.timeout(10_000),
      }).catch((error: unknown) => String(error))
      if (typeof answer === 'string' || !answer.ok) {
        const why = typeof answer === 'string' ? answer : await answer.text()
        return [`the account cannot be read: ${why}`]
      }
      const { credits_remaining: told } = (await answer.json()) as { credits_remaining: number }
      return BigInt(told) === available
        ? []
        : [`the account tells ${told} credits, the chain ${available}`]
    }),
  )
  return flaws.flat()
}

/** Every job that the chain has a lock of, at this moment. */
export async function lockedJobs(network: Network): Promise<ReadonlyMap<string, JobOnChain>> {
  return (await readChain(network)).jobs
}

/** Whether the transaction is in a block and did what it was sent for. */
export async function isMined(network: Network, hash: string): Promise<boolean> {
  const client = createPublicClient({ transport: http(network.rpc_url, { timeout: 5_000 }) })
  const receipt = await client.getTransactionReceipt({ hash: hash as `0x${string}` })
  return receipt.status === 'success'
}
