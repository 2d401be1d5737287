import { decodeFunctionResult, encodeFunctionData } from 'viem'
import type { Address } from '../../domain/ids.ts'
import { type CatalogueModel, catalogueModel } from '../../domain/models.ts'
import { TIERS } from '../../domain/tiers.ts'
import { toUnixMs } from '../../domain/time.ts'
import type { ModelReader } from '../../ports/catalogue.ts'
import { ChainUnavailable, type Hex } from '../../ports/escrow.ts'
import { modelRegistryAbi } from '../abi.ts'
import type { Rpc } from '../rpc/json-rpc.ts'

interface Options {
  readonly rpc: Rpc
  readonly contracts: { readonly modelRegistry: Address }
}

/** What one call may cost a node: about 17 000 gas a model, of the 50 million that many allow. */
const PAGE_MODELS = 200

/**
 * Reads ModelRegistry whole. Models are only ever added, at the end, so pages that were read in
 * different blocks still make one list.
 */
export function makeModelReader({ rpc, contracts }: Options): ModelReader {
  const page = async (start: number): Promise<readonly CatalogueModel[]> => {
    const read = { abi: modelRegistryAbi, functionName: 'models' } as const
    const data = encodeFunctionData({ ...read, args: [BigInt(start), BigInt(PAGE_MODELS)] })
    const call = { to: contracts.modelRegistry, data }
    const result = await rpc.call<Hex>('eth_call', [call, 'latest'])
    // A local node that was started anew has none of our contracts until they are deployed again.
    if (result === '0x') {
      throw new ChainUnavailable(`there is no ModelRegistry at ${contracts.modelRegistry} now`)
    }
    return decodeFunctionResult({ ...read, data: result }).map(toModel)
  }

  return {
    models: async () => {
      const models: CatalogueModel[] = []
      for (;;) {
        const next = await page(models.length)
        models.push(...next)
        if (next.length < PAGE_MODELS) return models
      }
    },
  }
}

interface OnChain {
  readonly spec: {
    readonly id: string
    readonly parameters: string
    readonly publisher: string
    readonly contextWindow: number
    readonly tier: number
  }
  /** Unix seconds. */
  readonly listedAt: number
  /** Unix seconds; 0: none. */
  readonly retiresAt: number
}

function toModel({ spec, listedAt, retiresAt }: OnChain): CatalogueModel {
  const tier = TIERS[spec.tier]
  // The registry refuses such a model, as the escrow would have no price for it.
  if (tier === undefined) throw new Error(`model ${spec.id} is of a tier ${spec.tier}`)
  const { id, parameters, publisher, contextWindow } = spec
  return catalogueModel({
    id,
    publisher,
    tier,
    parameters,
    contextWindow,
    listedAt: toUnixMs(listedAt * 1_000),
    retiresAt: retiresAt === 0 ? null : toUnixMs(retiresAt * 1_000),
  })
}
