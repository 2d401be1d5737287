import { OperatorError } from '../domain/operator-error.ts'
import type { ModelReader } from '../ports/catalogue.ts'
import { ChainUnavailable, type EscrowReader } from '../ports/escrow.ts'
import { hostAndPort } from '../telemetry/host-and-port.ts'
import type { Log } from '../telemetry/log.ts'
import { ABI_HASH } from './abi.ts'
import { makeBlockWatch } from './block-watch.ts'
import { makeModelReader } from './catalogue.ts'
import type { Contracts } from './contracts-file.ts'
import { makeRpc, type Rpc } from './json-rpc.ts'
import { assertPrices } from './prices.ts'
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

const LOOK_MS = 2_000

/**
 * Connects to the settlement chain for reading. A node that is down is waited for by each caller;
 * one that is on another chain than the contracts is an error of configuration, as are contracts of
 * another version, or with other prices.
 * @throws {OperatorError}
 */
export async function connectChain(options: ChainOptions): Promise<ChainConnection> {
  const { rpcUrl, contracts, log } = options
  if (contracts.abiHash !== ABI_HASH) {
    throw new OperatorError(
      `CONTRACTS_FILE names contracts of another version of this service (${contracts.jobEscrow}); ` +
        'deploy the contracts of this version, or run the version that they belong to',
    )
  }
  const rpc = makeRpc(rpcUrl)
  const blocks = makeBlockWatch(rpc, log)
  let stopLooking = () => {}
  const close = async () => {
    stopLooking()
    blocks.close()
    await rpc.close()
  }
  try {
    await assertOurs(rpc, contracts)
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) {
      await close()
      throw error
    }
    const node = hostAndPort(rpcUrl, rpcUrl.startsWith('https:') ? 443 : 80)
    const said = { node, setting: 'RPC_URL' }
    log.warn({ ...said, err: error }, 'chain: the node does not answer, and is waited for')
    stopLooking = lookAgain(rpc, contracts, log, said)
  }
  return {
    reader: makeReader({ rpc, blocks, contracts, log }),
    models: makeModelReader({ rpc, contracts }),
    close,
  }
}

/** @throws {ChainUnavailable} no answer @throws {OperatorError} another chain, or other prices */
async function assertOurs(rpc: Rpc, contracts: Contracts): Promise<void> {
  const chainId = Number(await rpc.call<string>('eth_chainId', []))
  if (chainId !== contracts.chainId) {
    throw new OperatorError(
      `RPC_URL leads to chain ${chainId}, but the contracts are on chain ${contracts.chainId}; ` +
        'set RPC_URL to a node of that chain, or CONTRACTS_FILE to the addresses on this one',
    )
  }
  await assertPrices(rpc, contracts.jobEscrow)
}

/** Says once when the node is there, and whether it is the right one. */
function lookAgain(rpc: Rpc, contracts: Contracts, log: Log, said: object): () => void {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const look = async () => {
    try {
      await assertOurs(rpc, contracts)
      log.info(said, 'chain: the node answers')
    } catch (error) {
      if (stopped) return
      if (error instanceof ChainUnavailable) lookLater()
      else log.error({ ...said, err: error }, 'chain: the node is not one for these contracts')
    }
  }
  const lookLater = () => {
    timer = setTimeout(() => void look(), LOOK_MS)
  }
  lookLater()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
