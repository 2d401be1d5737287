import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import type { Address } from 'viem'
import type { Config, Connector } from 'wagmi'
import { connect, disconnect } from 'wagmi/actions'

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

/** @throws the reason of the signal, where the wallet answered when nobody waited for it any longer */
export async function connectTo(config: Config, asked: Connecting): Promise<Address> {
  const { connector, chainId, signal } = asked
  const { accounts } = await connect(config, { connector, chainId })
  if (signal.aborted) {
    // Else it would take the place of the wallet that was chosen meanwhile.
    await disconnect(config, { connector })
    throw signal.reason
  }
  return accounts[0]
}
