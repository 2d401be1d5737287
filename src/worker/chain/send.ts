import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Abi,
  encodeFunctionData,
  type Hex,
  HttpRequestError,
  keccak256,
  parseSignature,
  TimeoutError,
  type TransactionReceipt,
  type TransactionSerializable,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { ConfigError } from '../../config/read.ts'
import type { Address } from '../../domain/ids.ts'
import type { WorkerKey } from '../key/open-key.ts'
import { rComputeAbi, stakingAbi } from './abi.ts'
import { type Chain, isRevert, ofNode, reasonOf } from './chain.ts'

const PERMIT_SECONDS = 3_600n
const RECEIPT_MS = 180_000
const LOOK_MS = 500

export interface ContractCall {
  readonly address: Address
  readonly abi: Abi
  readonly functionName: string
  readonly args: readonly unknown[]
}

/** Sends transactions with the worker's own key, which pays for their gas. */
export class Sender {
  private readonly account: PrivateKeyAccount

  constructor(
    private readonly chain: Chain,
    key: WorkerKey,
  ) {
    this.account = privateKeyToAccount(`0x${key.bytes.toString('hex')}`)
  }

  /**
   * Sends one call and waits until it is mined.
   * @throws {ConfigError} saying what the chain has against it, or which transaction to look at
   */
  async send(call: ContractCall): Promise<Hex> {
    const { client } = this.chain
    const { account } = this
    await this.requireGas()
    const refused = (error: unknown) => {
      const who = isRevert(error) ? 'the contract refuses' : 'the node does not take'
      throw new ConfigError(`${who} ${call.functionName}: ${reasonOf(error)}`)
    }
    await client.simulateContract({ ...call, account }).catch(refused)
    const signed = await this.sign(call).catch(refused)
    const hash = keccak256(signed)
    await this.hand(signed, hash).catch(refused)
    const receipt = await this.receiptOf(hash)
    if (!receipt) {
      throw new ConfigError(`transaction ${hash} is not mined yet: look at it before you repeat`)
    }
    if (receipt.status !== 'success') {
      throw new ConfigError(
        `transaction ${hash} was mined and failed: ${call.functionName} did nothing`,
      )
    }
    return hash
  }

  private async sign(call: ContractCall): Promise<Hex> {
    const { client } = this.chain
    const { account } = this
    const about = { account, to: call.address, data: encodeFunctionData(call) }
    const gas = withSomeToSpare(await client.estimateGas(about))
    const request = await client.prepareTransactionRequest({ ...about, gas, chain: null })
    return account.signTransaction(request as TransactionSerializable)
  }

  /**
   * The node's word may be lost, or be that of a proxy before it: what it may have taken counts as sent, or whoever
   * repeats the command stakes twice.
   * @throws where it says no, and does not know the transaction
   */
  private async hand(signed: Hex, hash: Hex): Promise<void> {
    const { client } = this.chain
    try {
      await client.sendRawTransaction({ serializedTransaction: signed })
    } catch (error) {
      if (isNoAnswer(error)) return
      if (!(await client.getTransaction({ hash }).catch(() => undefined))) throw error
    }
  }

  /**
   * Asks for the receipt again and again. viem's own wait looks once a block, and gives up where a block is there
   * before its receipts.
   * @returns undefined where there is none within RECEIPT_MS
   */
  private async receiptOf(hash: Hex): Promise<TransactionReceipt | undefined> {
    const deadline = performance.now() + RECEIPT_MS
    while (performance.now() < deadline) {
      // What fails is asked again, too: the transaction is sent, and its fate is all that counts.
      const receipt = await this.chain.client.getTransactionReceipt({ hash }).catch(() => undefined)
      if (receipt) return receipt
      await sleep(LOOK_MS)
    }
    return undefined
  }

  /** A stake in one transaction: the permit goes with it, so that no allowance is left behind. */
  async stake(workerId: number, amount: bigint): Promise<Hex> {
    const { workerStaking } = this.chain.contracts
    const deadline = await ofNode(this.permitDeadline())
    const { v, r, s } = await ofNode(this.permit(workerStaking, amount, deadline))
    return this.send({
      address: workerStaking,
      abi: stakingAbi,
      functionName: 'stakeWithPermit',
      args: [workerId, amount, deadline, v, r, s],
    })
  }

  /**
   * The contract passes over a permit that has run out, and says of the transfer alone that it may not be. This
   * machine's clock may be hours behind, and the newest block of a chain that rests is older than the next one.
   */
  private async permitDeadline(): Promise<bigint> {
    const here = BigInt(Math.floor(Date.now() / 1_000))
    const { timestamp } = await this.chain.client.getBlock()
    return (timestamp > here ? timestamp : here) + PERMIT_SECONDS
  }

  private async permit(spender: Address, value: bigint, deadline: bigint) {
    const { client, contracts } = this.chain
    const owner = this.account.address
    const token = await client.readContract({
      address: contracts.workerStaking,
      abi: stakingAbi,
      functionName: 'TOKEN',
    })
    const of = { address: token, abi: rComputeAbi } as const
    const [name, nonce] = await Promise.all([
      client.readContract({ ...of, functionName: 'name' }),
      client.readContract({ ...of, functionName: 'nonces', args: [owner] }),
    ])
    const signature = await this.account.signTypedData({
      domain: { name, version: '1', chainId: contracts.chainId, verifyingContract: token },
      types: { Permit: PERMIT },
      primaryType: 'Permit',
      message: { owner, spender, value, nonce, deadline },
    })
    const { r, s, yParity } = parseSignature(signature)
    return { v: 27 + yParity, r, s }
  }

  private async requireGas(): Promise<void> {
    const { address } = this.account
    if ((await ofNode(this.chain.client.getBalance({ address }))) > 0n) return
    throw new ConfigError(
      `${address} has no coin for gas on chain ${this.chain.contracts.chainId}: send it a little. ` +
        'Jobs need none; stake, unstake, withdraw and claim are transactions of this key',
    )
  }
}

const isNoAnswer = (error: unknown): boolean =>
  error instanceof TimeoutError ||
  (error instanceof HttpRequestError && (error.status === undefined || error.status >= 500))

/**
 * What a call costs depends on its block: votes are kept once a second and earnings by windows, and who comes first in
 * one pays for a word of storage more. Gas that is not used is not paid.
 */
const withSomeToSpare = (gas: bigint): bigint => (gas * 3n) / 2n

const PERMIT = [
  { name: 'owner', type: 'address' },
  { name: 'spender', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
] as const
