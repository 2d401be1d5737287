import {
  type Abi,
  type AbiParameter,
  type Address,
  decodeEventLog,
  getAbiItem,
  type Hex,
  type RpcLog,
} from 'viem'
import type { WebConfig } from '../../api.ts'
import { contractAt } from './contracts.ts'

/** What a contract of this service said. */
export interface ChainEvent {
  readonly contract: string
  readonly address: Address
  readonly name: string
  readonly inputs: readonly AbiParameter[]
  /** By the names of the inputs. */
  readonly args: Readonly<Record<string, unknown>>
  readonly tx: Hex
  readonly block: bigint
  readonly logIndex: number
}

type Log = Pick<RpcLog, 'address' | 'topics' | 'data'> & {
  readonly transactionHash: Hex | null
  readonly blockNumber: Hex | bigint | null
  readonly logIndex: Hex | number | null
}

/** Undefined: not one of this service's. */
export function eventOf(web: WebConfig, log: Log): ChainEvent | undefined {
  const contract = contractAt(web, log.address)
  const decoded = contract && decode(contract.abi, log)
  if (!decoded) return undefined
  return {
    contract: contract.name,
    address: contract.address,
    ...decoded,
    tx: log.transactionHash ?? '0x',
    block: BigInt(log.blockNumber ?? 0),
    logIndex: Number(log.logIndex),
  }
}

function decode(abi: Abi, { topics, data }: Log) {
  try {
    const { eventName, args } = decodeEventLog({ abi, topics, data })
    const name = String(eventName)
    const item = getAbiItem({ abi, name })
    const inputs = item && 'inputs' in item ? (item.inputs ?? []) : []
    return { name, inputs, args: (args ?? {}) as unknown as ChainEvent['args'] }
  } catch {
    return undefined // an event that this version of the contracts does not have
  }
}

export const isLaterFirst = (a: ChainEvent, b: ChainEvent): number =>
  Number(b.block - a.block) || b.logIndex - a.logIndex
