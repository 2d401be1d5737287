import type { ModelReader } from '../ports/catalogue.ts'
import { ChainUnavailable, type EscrowReader } from '../ports/escrow.ts'
import type { Log } from '../telemetry/log.ts'
import { ABI_HASH } from './abi.ts'
import { makeBlockWatch } from './block-watch.ts'
import { makeModelReader } from './catalogue.ts'
import type { Contracts } from './contracts-file.ts'
import { makeRpc } from './json-rpc.ts'
import { assertPrices } from './prices.ts'
import { makeReader } from './reader.ts'

export { type ClosableWriter, makeEscrowWriter, type WriterOptions } from './writer.ts'

export interface ChainOptions {
  readonly rpcUrl: string
  readonly contracts: Contracts
  readonly log: Log
}

export interface ChainConnection {
  readonly reader: EscrowReader
  readonly models: ModelReader
  close(): Promise<void>
}

/**
 * Connects to the settlement chain for reading. A node that is down is waited for by each caller;
 * one that is on another chain than the contracts is an error of configuration, as are contracts of
 * another version, or with other prices.
 */
export async function connectChain(options: ChainOptions): Promise<ChainConnection> {
  const { rpcUrl, contracts, log } = options
  if (contracts.abiHash !== ABI_HASH) {
    throw new Error(
      `CONTRACTS_FILE names contracts of another version of this service (${contracts.jobEscrow}); ` +
        'deploy the contracts of this version, or run the version that they belong to',
    )
  }
  const rpc = makeRpc(rpcUrl)
  const blocks = makeBlockWatch(rpc, log)
  const close = async () => {
    blocks.close()
    await rpc.close()
  }
  try {
    const chainId = Number(await rpc.call<string>('eth_chainId', []))
    if (chainId !== contracts.chainId) {
      throw new Error(
        `RPC_URL leads to chain ${chainId}, but the contracts are on chain ${contracts.chainId}; ` +
          'set RPC_URL to a node of that chain, or CONTRACTS_FILE to the addresses on this one',
      )
    }
    await assertPrices(rpc, contracts.jobEscrow)
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) {
      await close()
      throw error
    }
    log.warn({ err: error }, 'chain: the node does not answer yet')
  }
  return {
    reader: makeReader({ rpc, blocks, contracts, log }),
    models: makeModelReader({ rpc, contracts }),
    close,
  }
}
