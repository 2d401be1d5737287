import {
  compactSignatureToSignature,
  createPublicClient,
  createTestClient,
  decodeFunctionData,
  type Hex,
  recoverTypedDataAddress,
  serializeSignature,
} from 'viem'
import { devUsdgAbi, jobEscrowAbi, workerStakingAbi } from '../../src/chain/abi.ts'
import { fundGas, fundWallet } from '../../src/chain/fund.ts'
import { headFollowing } from '../../src/chain/rpc/moving-head.ts'
import { toCredits } from '../../src/domain/credits.ts'
import { type Address, jobIdToBytes32, toAddress, toJobId } from '../../src/domain/ids.ts'
import type { Network } from '../network/network.ts'
import type { Customer } from './customer.ts'

interface Books {
  readonly heldUnits: bigint
  readonly owedUnits: bigint
}

/** What anybody can read from the chain without asking the service. */
export class ChainReader {
  private readonly client
  private readonly escrow
  private readonly staking
  private readonly events

  constructor(private readonly network: Network) {
    this.client = createPublicClient({ transport: headFollowing(network.rpc_url) })
    const { job_escrow, worker_staking } = network.contracts
    this.escrow = { address: toAddress(job_escrow), abi: jobEscrowAbi } as const
    this.staking = { address: toAddress(worker_staking), abi: workerStakingAbi } as const
    this.events = { ...this.escrow, fromBlock: 0n, strict: true } as const
  }

  /** Whether the transaction is in a block and did not revert. */
  async succeeded(hash: Hex): Promise<boolean> {
    return (await this.client.getTransactionReceipt({ hash })).status === 'success'
  }

  async locksOf(wallet: Address) {
    return this.client.getContractEvents({
      ...this.events,
      eventName: 'JobLocked',
      args: { wallet },
    })
  }

  async lock(jobId: string) {
    const args = { jobId: onChain(jobId) }
    const found = noneOrOne(
      await this.client.getContractEvents({ ...this.events, eventName: 'JobLocked', args }),
    )
    if (!found) throw new Error(`${jobId} was never locked`)
    return found
  }

  /** Undefined before it is in a block. */
  async settlement(jobId: string) {
    const args = { jobId: onChain(jobId) }
    return noneOrOne(
      await this.client.getContractEvents({ ...this.events, eventName: 'JobSettled', args }),
    )
  }

  /** Undefined before it is in a block. */
  async refund(jobId: string) {
    const args = { jobId: onChain(jobId) }
    return noneOrOne(
      await this.client.getContractEvents({ ...this.events, eventName: 'JobRefunded', args }),
    )
  }

  async account(wallet: Address): Promise<{ available: bigint; locked: bigint }> {
    const [available, locked] = await this.client.readContract({
      ...this.escrow,
      functionName: 'accounts',
      args: [wallet],
    })
    return { available, locked }
  }

  /** Who is behind a worker's number. */
  async worker(workerId: number): Promise<Address> {
    const [signer] = await this.client.readContract({
      ...this.staking,
      functionName: 'terms',
      args: [workerId],
    })
    return toAddress(signer)
  }

  /** Whose signature a settlement carries for this job. */
  async signerOf(settlementTx: Hex, jobId: string): Promise<Address> {
    const { input } = await this.client.getTransaction({ hash: settlementTx })
    const call = decodeFunctionData({ abi: jobEscrowAbi, data: input })
    if (call.functionName !== 'settleBatch') throw new Error(`${settlementTx} settles nothing`)
    const item = call.args[0].find((each) => each.jobId === onChain(jobId))
    if (!item) throw new Error(`${settlementTx} settles other jobs than ${jobId}`)
    const { r, vs, workerId: _, ...message } = item
    const signer = await recoverTypedDataAddress({
      domain: {
        name: 'JobEscrow',
        version: '1',
        chainId: this.network.chain_id,
        verifyingContract: this.escrow.address,
      },
      types: {
        Completion: [
          { name: 'jobId', type: 'bytes32' },
          { name: 'outputHash', type: 'bytes32' },
          { name: 'outputTokens', type: 'uint32' },
          { name: 'completedAt', type: 'uint40' },
        ],
      },
      primaryType: 'Completion',
      message,
      signature: serializeSignature(compactSignatureToSignature({ r, yParityAndS: vs })),
    })
    return toAddress(signer)
  }

  /** All that the escrow owes, and what it holds, in token units. */
  async books(): Promise<Books> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#readBooks()
      } catch (error) {
        // The node keeps only its newest states, and may drop the one that it was asked for.
        if (attempt === 5 || !/BlockOutOfRange/.test(String(error))) throw error
      }
    }
  }

  async #readBooks(): Promise<Books> {
    const { escrow, staking, client } = this
    const [deposits, registrations] = await Promise.all([
      client.getContractEvents({ ...this.events, eventName: 'Deposited' }),
      client.getContractEvents({
        ...staking,
        fromBlock: 0n,
        strict: true,
        eventName: 'WorkerRegistered',
      }),
    ])
    const wallets = [...new Set(deposits.map(({ args }) => args.wallet))]
    const accounts = await Promise.all(
      wallets.map((wallet) =>
        client.readContract({ ...escrow, functionName: 'accounts', args: [wallet] }),
      ),
    )
    const earnings = await Promise.all(
      registrations.map(({ args: { workerId } }) =>
        client.readContract({ ...escrow, functionName: 'earnings', args: [workerId] }),
      ),
    )
    const credits = accounts.map(([available, locked, thawing]) => available + locked + thawing)
    const treasuryUnits = await client.readContract({ ...escrow, functionName: 'treasuryUnits' })
    const disputedUnits = await client.readContract({ ...escrow, functionName: 'disputedUnits' })
    const heldUnits = await client.readContract({
      address: toAddress(this.network.contracts.usdg),
      abi: devUsdgAbi,
      functionName: 'balanceOf',
      args: [escrow.address],
    })
    const shares = sum(earnings) + treasuryUnits + disputedUnits
    const owedUnits = sum(credits) * UNITS_PER_CREDIT + shares
    return { heldUnits, owedUnits }
  }

  /** Adds an empty block, as a chain that others use would. */
  async mine(): Promise<void> {
    const transport = headFollowing(this.network.rpc_url)
    await createTestClient({ mode: 'anvil', transport }).mine({ blocks: 1 })
  }

  /** Mints, approves and deposits with the customer's own key. The first deposit of a wallet. */
  async deposit({ wallet, privateKey }: Customer, credits: number): Promise<void> {
    const { rpc_url: rpcUrl, contracts } = this.network
    await fundGas(rpcUrl, [wallet])
    await fundWallet({
      rpcUrl,
      contracts: {
        jobEscrow: toAddress(contracts.job_escrow),
        usdg: toAddress(contracts.usdg),
      },
      walletPrivateKey: privateKey,
      credits: toCredits(credits),
    })
  }
}

/** 1 credit = 0.01 of a token with 6 decimals. */
export const UNITS_PER_CREDIT = 10_000n

const onChain = (jobId: string): Hex => jobIdToBytes32(toJobId(jobId))

function noneOrOne<Event>(events: readonly Event[]): Event | undefined {
  if (events.length > 1) throw new Error(`at most one event was awaited, not ${events.length}`)
  return events[0]
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n)
