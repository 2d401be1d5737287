import { createPublicClient, http, type PublicClient } from 'viem'
import type { WebConfig } from '../../api.ts'

let reader: { readonly url: string; readonly client: PublicClient } | undefined

/** Reads the chain without a wallet. What is asked in one turn goes out as one request. */
export function readerOf({ chain }: WebConfig): PublicClient {
  if (reader?.url !== chain.rpc_url) {
    const transport = http(chain.rpc_url, { batch: true })
    reader = { url: chain.rpc_url, client: createPublicClient({ transport }) }
  }
  return reader.client
}
