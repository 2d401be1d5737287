import type { Config } from 'wagmi'
import { reconnect, watchConnectors } from 'wagmi/actions'

/** What wallets say that come after the page, and do not announce themselves. */
const INITIALIZED = 'ethereum#initialized'

export function onLateWallet(changed: () => void): () => void {
  window.addEventListener(INITIALIZED, changed)
  return () => window.removeEventListener(INITIALIZED, changed)
}

/** Connects with the wallet of an earlier visit, also where it comes after the page, for the life of the page. */
export function keepLooking(config: Config): void {
  let looking: Promise<unknown> = reconnect(config)
  const lookAgain = () => {
    looking = looking.then(async () => {
      if (config.state.status === 'disconnected') await reconnect(config)
    })
  }
  onLateWallet(lookAgain)
  watchConnectors(config, { onChange: lookAgain })
}
