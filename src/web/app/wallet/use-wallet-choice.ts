import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import type { Address } from 'viem'
import type { Config, Connector } from 'wagmi'
import { connect, disconnect } from 'wagmi/actions'
import { isRejection } from '../api/explain.ts'
import { switchTo } from './switch-chain.ts'

interface Asking {
  readonly connector: Connector
  readonly signal: AbortSignal
}

/**
 * Asks one wallet at a time. Whoever chooses another, or stops waiting, has let go of the one before:
 * what that one answers late changes nothing.
 * @param ask `signal` is aborted once nobody waits any longer
 */
export function useWalletChoice<T>(
  ask: (connector: Connector, signal: AbortSignal) => Promise<T>,
  done?: (answer: T) => void,
) {
  const attempt = useRef<AbortController>(undefined)
  const asking = useMutation({
    mutationFn: async ({ connector, signal }: Asking) => {
      const answer = await ask(connector, signal)
      signal.throwIfAborted()
      done?.(answer)
    },
  })
  const stop = () => {
    attempt.current?.abort()
    asking.reset()
  }
  const choose = (connector: Connector) => {
    stop()
    attempt.current = new AbortController()
    asking.mutate({ connector, signal: attempt.current.signal })
  }
  const busy = asking.isPending ? asking.variables.connector.uid : undefined
  return { busy, choose, stop, error: asking.error }
}

export interface Connecting extends Asking {
  readonly chainId: number
}

/** The wallet let itself be connected and shows no account, as some do while they are locked. */
class NoAccount extends Error {
  override readonly name = 'NoAccount'
}

/**
 * Connects the wallet, and asks it to go to the chain. One that does not stays connected: what needs the
 * chain says so itself.
 * @param onSwitching the wallet has given its address, and is on another chain
 * @throws NoAccount; the reason of the signal, where the wallet answered when nobody waited for it any longer
 */
export async function connectTo(
  config: Config,
  { connector, chainId, signal }: Connecting,
  onSwitching = () => {},
): Promise<Address> {
  const { accounts, chainId: connectedTo } = await connect(config, { connector })
  const [account] = accounts as readonly (Address | undefined)[]
  if (signal.aborted || !account) {
    // Else it would take the place of the wallet that was chosen meanwhile.
    await disconnect(config, { connector })
    throw signal.aborted ? signal.reason : new NoAccount('The wallet shows no account.')
  }
  if (connectedTo !== chainId) {
    onSwitching()
    await switchTo(config, { connector, chainId }).catch((error: unknown) => {
      if (isRejection(error)) throw error
    })
  }
  return account
}
