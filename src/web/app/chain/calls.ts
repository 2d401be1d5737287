import {
  type AbiFunction,
  type AbiParameter,
  decodeFunctionData,
  type Hex,
  toFunctionSelector,
} from 'viem'
import type { WebConfig } from '../../api.ts'
import { contractAt } from './contracts.ts'

export interface ChainCall {
  readonly contract: string
  readonly name: string
  readonly inputs: readonly AbiParameter[]
  /** In the order of the inputs. */
  readonly args: readonly unknown[]
}

/** Undefined: no call of a contract of this service. */
export function callOf(web: WebConfig, to: string, data: Hex): ChainCall | undefined {
  const contract = contractAt(web, to)
  const item = contract?.abi.find(
    (each): each is AbiFunction =>
      each.type === 'function' && toFunctionSelector(each) === data.slice(0, 10),
  )
  if (!contract || !item) return undefined
  const args = argsOf(item, data)
  return args && { contract: contract.name, name: item.name, inputs: item.inputs, args }
}

function argsOf(item: AbiFunction, data: Hex): readonly unknown[] | undefined {
  try {
    return (decodeFunctionData({ abi: [item], data }).args ?? []) as readonly unknown[]
  } catch {
    return undefined // the right name, and what follows is broken: then the chain refused it, too
  }
}
