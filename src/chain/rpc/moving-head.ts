import { BaseError, http, type Transport } from 'viem'

/**
 * A local node that keeps no history refuses a question about `latest` where a block comes in between:
 * asked again, it answers. A question about a block by its number is another matter, since that block
 * stays gone.
 */
export const isOvertaken = (params: unknown, reason: string): boolean =>
  Array.isArray(params) && params.includes('latest') && /BlockOutOfRange/.test(reason)

/** Whether such a node was asked about a block that is the latest no more. */
export const hasForgotten = (error: unknown): boolean => /BlockOutOfRange/.test(reasonOf(error))

/** Blocks may come faster than answers, for a while. */
export const OVERTAKEN_TRIES = 10

/** viem's `http`, which asks again where a block came in between. */
export function headFollowing(rpcUrl: string, config?: Parameters<typeof http>[1]): Transport {
  return (options) => {
    const transport = http(rpcUrl, config)(options)
    const request = async (args: { method: string; params?: unknown }): Promise<unknown> => {
      for (let tries = 1; ; tries++) {
        try {
          return await transport.request(args)
        } catch (error) {
          if (tries === OVERTAKEN_TRIES || !isOvertaken(args.params, reasonOf(error))) throw error
        }
      }
    }
    return { ...transport, request: request as typeof transport.request }
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof BaseError ? error.details : String(error)
