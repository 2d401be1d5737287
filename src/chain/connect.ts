import { ChainUnavailable, type EscrowReader } from '../ports/escrow.ts'
import type { Log } from '../telemetry/log.ts'
import { makeBlockWatch } from './block-watch.ts'
import type { Contracts } from './contracts-file.ts'
import { makeRpc } from './json-rpc.ts'
import { makeReader } from './reader.ts'

export { type ClosableWriter, makeEscrowWriter, type WriterOptions } from './writer.ts'

export interface ChainOptions {
  readonly rpcUrl: string
  readonly contracts: Contracts
  readonly log: Log
}

export interface ChainConnection {
  readonly reader: EscrowReader
  close(): Promise<void>
}

/**
 * Connects to the settlement chain for reading. A node that is down is waited for by each caller;
 * one that is on another chain than the contracts is an error of configuration.
 */
export async function connectChain(options: ChainOptions): Promise<ChainConnection> {
  const { rpcUrl, contracts, log } = options
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
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) {
      await close()
      throw error
    }
    log.warn({ err: error }, 'chain: the node does not answer yet')
  }
  return { reader: makeReader({ rpc, blocks, contracts, log }), close }
}
