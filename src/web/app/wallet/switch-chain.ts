import type { Config, Connector } from 'wagmi'
import { switchChain } from 'wagmi/actions'
import { isPending, isRejection } from '../api/explain.ts'

/** The wallet is not on the chain it was asked to go to: it cannot, does not, or has not answered. */
export class NotSwitched extends Error {
  override readonly name = 'NotSwitched'
}

/** Time to read the wallet's question, and to be told of a wallet that asks none. */
const ANSWER_MS = 30_000

/**
 * Asks a wallet that is connected to go to the chain, and to learn of the chain first where it does not know it.
 * What it does later counts all the same: whoever shows its chain hears of it.
 * @throws NotSwitched; what the wallet said, where somebody declined or it has an earlier question open
 */
export async function switchTo(
  config: Config,
  { connector, chainId }: { readonly connector: Connector; readonly chainId: number },
): Promise<void> {
  const late = deadline(ANSWER_MS)
  try {
    // The library waits for the change itself: for ever, where a wallet answers and stays where it is.
    await Promise.race([switchChain(config, { chainId, connector }), late.comes])
  } catch (error) {
    // The library calls any refusal to add a chain a rejection, by nobody.
    if (isRejection(error) || isPending(error)) throw error
    throw new NotSwitched('The wallet is on another chain.', { cause: error })
  } finally {
    late.stop()
  }
}

function deadline(ms: number): { readonly comes: Promise<never>; readonly stop: () => void } {
  let stop = () => {}
  const comes = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`no change within ${ms} ms`)), ms)
    stop = () => clearTimeout(timer)
  })
  return { comes, stop }
}
