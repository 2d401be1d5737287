import { BaseError } from 'viem'
import type { Reader } from './deployer.ts'

/** Reads transient storage, copies memory, answers with one byte: PUSH0 (Shanghai), TLOAD and MCOPY (Cancun). */
const NEEDED = '0x5f5c505f5f5f5e60015f5360015ff3'
/** In the words of geth, besu, nethermind, reth and anvil, ganache. */
const UNKNOWN_INSTRUCTION =
  /op-?code|invalid.?operation|bad.?instruction|NotActivated|InvalidFEOpcode/i

/**
 * A chain takes contracts that it cannot execute, and asks to be paid for it: whether it can is asked before.
 * @throws where it is one that the contracts or the lanes cannot work on
 */
export async function assertSuitable(reader: Reader): Promise<void> {
  const { baseFeePerGas } = await reader.getBlock()
  if (baseFeePerGas === null) {
    throw new Error(
      'the blocks of this chain have no base fee, and the service sends EIP-1559 transactions only: ' +
        'deploy on a chain that has them',
    )
  }
  await reader.call({ data: NEEDED }).catch((cause: unknown) => {
    // A node may refuse a call without a contract for reasons of its own: then the deployment shows it.
    const reason = cause instanceof BaseError ? cause.details : String(cause)
    if (!UNKNOWN_INSTRUCTION.test(reason)) return
    throw new Error(
      'this chain does not execute what the contracts are made of (TLOAD, MCOPY and PUSH0, of the Cancun ' +
        'upgrade): deploy on a chain that has it',
      { cause },
    )
  })
}
