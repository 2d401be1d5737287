import {
  createPublicClient,
  formatLog,
  http,
  type Log,
  type PublicClient,
  ResponseBodyTooLargeError,
  RpcRequestError,
  type Transport,
} from 'viem'
import { placeOf } from '../address.ts'
import { CannotTell, reasonOf } from '../cannot-tell.ts'
import type { Where } from '../where.ts'

export interface Chain {
  /** Of its node, for messages. */
  readonly place: string
  readonly client: PublicClient
  readonly escrow: `0x${string}`
  readonly chainId: number
  /**
   * Logs of a contract, oldest first.
   * @param topics as JSON-RPC takes them; null: any
   * @param blocks the first and the last one; without them that of the deployment and the newest
   */
  logs(
    address: `0x${string}`,
    topics?: readonly (`0x${string}` | null)[],
    blocks?: { readonly from?: bigint; readonly until?: bigint },
  ): Promise<Log[]>
}

const PATIENCE_MS = 15_000
const TRIES = 20

/** @throws {CannotTell} where no node answers, or it is not on the chain of this escrow */
export async function connectChain({
  rpcUrl,
  chainId,
  escrow,
  deployBlock,
}: Where): Promise<Chain> {
  const client = createPublicClient({ transport: patient(rpcUrl) })
  const found = await client.getChainId().catch((error: unknown) => {
    const why = reasonOf(error)
    throw new CannotTell(
      `no node of a chain answers at ${placeOf(rpcUrl)} (${why}): name one with --rpc URL`,
    )
  })
  if (found !== chainId) {
    throw new CannotTell(
      `${placeOf(rpcUrl)} is a node of chain ${found}, but the escrow is on chain ${chainId}: name a node ` +
        'of that chain with --rpc URL',
    )
  }
  if (!(await client.getCode({ address: escrow }))) {
    throw new CannotTell(
      `there is no contract at ${escrow} on chain ${chainId}: name the right address file with ` +
        '--contracts FILE',
    )
  }
  return {
    place: placeOf(rpcUrl),
    client,
    escrow,
    chainId,
    logs: async (address, topics = [], { from = deployBlock, until } = {}) => {
      const to = until ?? (await client.getBlockNumber({ cacheTime: 0 }))
      return readLogs(client, { address, topics, from, to })
    },
  }
}

/**
 * What is read over many questions. The library's own errors quote the whole address of the node, in which
 * providers put their key.
 * @throws {CannotTell} where one of them is not answered
 */
export async function readWhole<T>({ place }: Chain, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof CannotTell) throw error
    throw new CannotTell(`the node at ${place} did not answer everything: ${reasonOf(error)}`, {
      cause: error,
    })
  }
}

/**
 * A local node that keeps no history refuses a question about `latest` where a block comes in between.
 * It is asked again; a question about a block by its number is not, since that block stays gone.
 */
function patient(rpcUrl: string): Transport {
  const settings = { timeout: PATIENCE_MS, retryCount: 1, batch: { batchSize: 200 } }
  return (options) => {
    const transport = http(rpcUrl, settings)(options)
    const request = async (args: { method: string; params?: unknown }): Promise<unknown> => {
      for (let tries = 1; ; tries++) {
        try {
          return await transport.request(args)
        } catch (error) {
          const isOfLatest = Array.isArray(args.params) && args.params.includes('latest')
          if (tries === TRIES || !isOfLatest || !/BlockOutOfRange/.test(reasonOf(error)))
            throw error
        }
      }
    }
    return { ...transport, request: request as typeof transport.request }
  }
}

interface Range {
  readonly address: `0x${string}`
  readonly topics: readonly (`0x${string}` | null)[]
  readonly from: bigint
  readonly to: bigint
}

/** Nodes limit how much one answer may hold, and so does the client: more is asked for in halves. */
async function readLogs(client: PublicClient, range: Range): Promise<Log[]> {
  const { address, topics, from, to } = range
  if (from > to) return []
  const ask = { address, topics: [...topics], fromBlock: hex(from), toBlock: hex(to) }
  try {
    const found = await client.request({ method: 'eth_getLogs', params: [ask] })
    return found.map((log) => formatLog(log))
  } catch (error) {
    if (from === to || !isRefusal(error)) throw error
    const middle = (from + to) / 2n
    const first = await readLogs(client, { ...range, to: middle })
    return [...first, ...(await readLogs(client, { ...range, from: middle + 1n }))]
  }
}

const hex = (number: bigint): `0x${string}` => `0x${number.toString(16)}`

/** The node answered, with an error or with too much: not one that cannot be reached. */
const isRefusal = (error: unknown): boolean =>
  error instanceof RpcRequestError ||
  error instanceof ResponseBodyTooLargeError ||
  (error instanceof Error && isRefusal(error.cause))
