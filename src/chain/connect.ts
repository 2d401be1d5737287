import type { ModelReader } from '../ports/catalogue.ts'
import type { EscrowReader } from '../ports/escrow.ts'
import type { Log } from '../telemetry/log.ts'
import { makeBlockWatch } from './block-watch.ts'
import { makeModelReader } from './catalogue.ts'
import { checkNode } from './check-node.ts'
import type { Contracts } from './contracts-file.ts'
import { makeRpc } from './json-rpc.ts'
import { makeReader } from './reader.ts'

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
 * what a wrong one does, `checkNode` says.
 * @throws {OperatorError}
 */
export async function connectChain(options: ChainOptions): Promise<ChainConnection> {
  const { rpcUrl, contracts, log } = options
  const rpc = makeRpc(rpcUrl)
  const stopLooking = await checkNode({ rpc, ...options }).catch(async (error: unknown) => {
    await rpc.close()
    throw error
  })
  const blocks = makeBlockWatch(rpc, log)
  return {
    reader: makeReader({ rpc, blocks, contracts, log }),
    models: makeModelReader({ rpc, contracts }),
    close: async () => {
      stopLooking()
      blocks.close()
      await rpc.close()
    },
  }
}
