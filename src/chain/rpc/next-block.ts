import { isRevert, type Rpc, RpcError } from './json-rpc.ts'

/**
 * Asks as of the next block, the last parameter: its time is now, and on an idle chain the last one may be from
 * long ago. Not every node knows it, or tells of it: then as of the newest one.
 * @throws {ChainUnavailable} no answer @throws {RpcError} the node refuses both, or the call reverts
 */
export async function askOfNextBlock<Result>(
  rpc: Rpc,
  method: string,
  params: readonly unknown[],
): Promise<Result> {
  try {
    return await rpc.call<Result>(method, [...params, 'pending'])
  } catch (error) {
    if (!(error instanceof RpcError) || isRevert(error)) throw error
    return rpc.call<Result>(method, [...params, 'latest'])
  }
}
