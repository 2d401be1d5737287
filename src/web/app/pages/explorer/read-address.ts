import { type Address, getCreate2Address, type Hex, numberToHex, pad } from 'viem'
import {
  DEPOSIT_FORWARDER_CODE_HASH,
  devUsdgAbi,
  jobEscrowAbi,
  rComputeAbi,
  workerStakingAbi,
} from '../../../../chain/abi.ts'
import type { WebConfig } from '../../../api.ts'
import { isContractCode } from '../../chain/code.ts'
import { type Contract, contractAt, contractsOf } from '../../chain/contracts.ts'
import type { ChainEvent } from '../../chain/events.ts'
import type { LogSearch } from '../../chain/logs.ts'
import { readerOf } from '../../chain/reader.ts'

export interface AddressFacts {
  readonly contract: Contract | undefined
  /** Of this service or of others. */
  readonly isContract: boolean
  /** In the smallest units of the chain's own coin. */
  readonly coin: bigint
  readonly usdgUnits: bigint
  readonly rcompute: bigint
  readonly account: {
    readonly available: number
    readonly locked: number
    readonly thawing: number
  }
  /** 0: no worker, or one that has left. */
  readonly workerId: number
  readonly depositAddress: Address
}

export async function readAddress(web: WebConfig, address: Address): Promise<AddressFacts> {
  const client = readerOf(web)
  const at = web.contracts
  const balanceOf = { functionName: 'balanceOf', args: [address] } as const
  const [code, coin, usdgUnits, rcompute, account, workerId] = await Promise.all([
    client.getCode({ address }),
    client.getBalance({ address }),
    client.readContract({ address: at.usdg, abi: devUsdgAbi, ...balanceOf }),
    client.readContract({ address: at.r_compute, abi: rComputeAbi, ...balanceOf }),
    client.readContract({
      ...{ address: at.job_escrow, abi: jobEscrowAbi },
      ...{ functionName: 'accounts', args: [address] },
    }),
    client.readContract({
      ...{ address: at.worker_staking, abi: workerStakingAbi },
      ...{ functionName: 'workerIdOf', args: [address] },
    }),
  ])
  const [available, locked, thawing] = account
  return {
    contract: contractAt(web, address),
    isContract: isContractCode(code),
    coin,
    usdgUnits,
    rcompute,
    account: {
      available: Number(available),
      locked: Number(locked),
      thawing: Number(thawing),
    },
    workerId,
    depositAddress: depositAddressOf(web, address),
  }
}

/** As the escrow's own function of this name (EIP-1014). */
const depositAddressOf = ({ contracts }: WebConfig, wallet: Address): Address =>
  getCreate2Address({
    from: contracts.job_escrow,
    salt: pad(wallet),
    bytecodeHash: DEPOSIT_FORWARDER_CODE_HASH,
  }).toLowerCase() as Address

/** Whose deposit address this is, as a payment that came from it shows. */
export function ownerOfDepositAddress(
  web: WebConfig,
  address: Address,
  events: readonly ChainEvent[],
): Address | undefined {
  const wallets = events.flatMap(({ name, args }) =>
    name === 'Deposited' ? [args.wallet as Address] : [],
  )
  return wallets.find((wallet) => depositAddressOf(web, wallet) === address)
}

/**
 * A contract's own events; else those that name the address, or the worker that it is. The timelock names neither: it
 * counts the calls of a proposal, and the second of them would be told of worker number 1.
 */
export function searchOf(
  web: WebConfig,
  address: Address,
  { contract, workerId }: AddressFacts,
): LogSearch {
  if (contract) return { address: [contract.address], topics: [[]] }
  const named: Hex[] = [pad(address)]
  if (workerId > 0) named.push(numberToHex(workerId, { size: 32 }))
  const others = contractsOf(web).filter((each) => each.address !== web.contracts.timelock)
  return {
    address: others.map((each) => each.address),
    topics: [
      [null, named],
      [null, null, named],
      [null, null, null, named],
    ],
  }
}
