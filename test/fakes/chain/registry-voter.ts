import { encodeFunctionData } from 'viem'
import { modelRegistryAbi } from '../../../src/chain/abi.ts'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import type { Rpc } from '../../../src/chain/rpc/json-rpc.ts'
import type { Model } from '../../../src/domain/models.ts'
import { tierNumber } from '../../../src/domain/tiers.ts'
import type { Hex } from '../../../src/ports/escrow.ts'
import { until } from '../../until.ts'

interface Receipt {
  readonly status: Hex
}

/** Does on a local chain what a vote would have the timelock do, without the nine days of a vote. */
export class RegistryVoter {
  constructor(
    private readonly rpc: Rpc,
    private readonly contracts: Pick<Contracts, 'modelRegistry' | 'timelock'>,
  ) {}

  list({ id, parameters, publisher, contextWindow, tier }: Omit<Model, 'created'>): Promise<void> {
    const spec = { id, parameters, publisher, contextWindow, tier: tierNumber(tier) }
    const call = { functionName: 'list', args: [spec] } as const
    return this.send(encodeFunctionData({ abi: modelRegistryAbi, ...call }))
  }

  retire = (id: string): Promise<void> =>
    this.send(encodeFunctionData({ abi: modelRegistryAbi, functionName: 'retire', args: [id] }))

  cancelRetirement = (id: string): Promise<void> => {
    const call = { functionName: 'cancelRetirement', args: [id] } as const
    return this.send(encodeFunctionData({ abi: modelRegistryAbi, ...call }))
  }

  /** The notice is fixed in the contract's code, where 30 days would outlast any test. */
  async setNotice(seconds: number): Promise<void> {
    const address = this.contracts.modelRegistry
    await replaceWord(this.rpc, address, 30 * 24 * 60 * 60, seconds)
  }

  private async send(data: Hex): Promise<void> {
    const { modelRegistry: to, timelock: from } = this.contracts
    await this.rpc.call('anvil_impersonateAccount', [from])
    await this.rpc.call('anvil_setBalance', [from, '0xde0b6b3a7640000'])
    const hash = await this.rpc.call<Hex>('eth_sendTransaction', [{ from, to, data }])
    const receipt = await until(`${hash} to be mined`, async () => {
      return (await this.receipt(hash)) ?? undefined
    })
    if (receipt.status !== '0x1') throw new Error(`the registry refused ${hash}`)
  }

  private receipt = (hash: Hex): Promise<Receipt | null> =>
    this.rpc.call<Receipt | null>('eth_getTransactionReceipt', [hash])
}

/** Replaces an immutable value in the code of a deployed contract. */
export async function replaceWord(
  rpc: Rpc,
  address: string,
  from: bigint | number,
  to: bigint | number,
): Promise<void> {
  const code = await rpc.call<string>('eth_getCode', [address, 'latest'])
  const changed = code.replaceAll(pushed(from), pushed(to))
  if (changed === code) throw new Error(`the code of ${address} holds no ${from}`)
  await rpc.call('anvil_setCode', [address, changed])
}

const PUSH32 = '7f'
const pushed = (value: bigint | number) => PUSH32 + value.toString(16).padStart(64, '0')
