import type { Address } from '../domain/ids.ts'
import type { ModelReader } from '../ports/catalogue.ts'
import type { EscrowReader } from '../ports/escrow.ts'
import type { Log } from '../telemetry/log.ts'
import type { Contracts } from './contracts-file.ts'
import { openNode } from './open-node.ts'
import { makeModelReader } from './read/catalogue.ts'
import { coinOf } from './read/coin.ts'
import { makeReader } from './read/reader.ts'
import { type RoleKeys, warnOfMissingRoles } from './read/roles.ts'
import { makeBlockWatch } from './rpc/block-watch.ts'

export interface ChainOptions {
  readonly rpcUrl: string
  readonly contracts: Contracts
  readonly log: Log
}

export interface ChainConnection {
  readonly reader: EscrowReader
  readonly models: ModelReader
  /** Of each key that has not its role. Never fails. */
  warnOfMissingRoles(keys: RoleKeys): Promise<void>
  /** What an address holds of the chain's coin, in whole coins. @throws {ChainUnavailable} */
  coinOf(address: Address): Promise<number>
  close(): Promise<void>
}

/**
 * Connects to the settlement chain for reading. A node that is down is waited for by each caller;
 * what a wrong one does, `openNode` says.
 * @throws {OperatorError}
 */
export async function connectChain(options: ChainOptions): Promise<ChainConnection> {
  const { contracts, log } = options
  const { rpc, close } = await openNode(options)
  const blocks = makeBlockWatch(rpc, log)
  return {
    reader: makeReader({ rpc, blocks, contracts, log }),
    models: makeModelReader({ rpc, contracts }),
    warnOfMissingRoles: (keys) => warnOfMissingRoles({ rpc, contracts, log }, keys),
    coinOf: (address) => coinOf(rpc, address),
    close: async () => {
      blocks.close()
      await close()
    },
  }
}
