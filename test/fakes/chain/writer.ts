import { createWalletClient, type Hex, type Transport } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { headFollowing } from '../../../src/chain/rpc/moving-head.ts'

/**
 * Sends what it is given, and does not wait for a block.
 * @param by an account, or its private key
 */
export const makeWriter = (rpcUrl: string, by: Hex | PrivateKeyAccount) =>
  createWalletClient({
    account: typeof by === 'string' ? privateKeyToAccount(by) : by,
    transport: withGasToSpare(headFollowing(rpcUrl)),
  })

/**
 * What a call costs depends on the second that it is in: votes and supply are kept once a second, and the first change
 * in one costs a word of storage more. An estimate without anything to spare fails where the second ends behind it.
 */
function withGasToSpare(transport: Transport): Transport {
  return (options) => {
    const { request, ...rest } = transport(options)
    const generous = async (asked: { method: string; params?: unknown }): Promise<unknown> => {
      const answer = await request(asked)
      if (asked.method !== 'eth_estimateGas') return answer
      return `0x${((BigInt(answer as Hex) * 3n) / 2n).toString(16)}`
    }
    return { ...rest, request: generous as typeof request }
  }
}
