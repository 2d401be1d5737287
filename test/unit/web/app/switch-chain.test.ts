import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createConfig, http, injected } from 'wagmi'
import { connect } from 'wagmi/actions'
import type { WebConfig } from '../../../../src/web/api.ts'
import { explain } from '../../../../src/web/app/api/explain.ts'
import { switchTo } from '../../../../src/web/app/wallet/switch-chain.ts'
import { chainOf } from '../../../../src/web/app/wallet/wagmi.ts'

const Switch = suite('asking a wallet to go to the chain')

const HERE = 31_337
const web = {
  chain: { id: HERE, name: 'Local', coin: { name: 'Ether', symbol: 'ETH', decimals: 18 } },
  explorer_url: 'https://explorer.example',
} as unknown as WebConfig

interface Wallet {
  chainId: number
  knows: boolean
}
type Answer = (wallet: Wallet) => null

const refused = (code: number, message: string) => Object.assign(new Error(message), { code })

/** On another chain, and without knowledge of ours. */
async function askTo(add: Answer) {
  const wallet: Wallet = { chainId: 1, knows: false }
  const go: Answer = () => {
    if (!wallet.knows) throw refused(4902, 'unknown chain')
    wallet.chainId = HERE
    return null
  }
  const answers: Readonly<Record<string, () => unknown>> = {
    eth_requestAccounts: () => [`0x${'9'.repeat(40)}`],
    eth_chainId: () => `0x${wallet.chainId.toString(16)}`,
    wallet_switchEthereumChain: () => go(wallet),
    wallet_addEthereumChain: () => add(wallet),
  }
  const provider = {
    request: async ({ method }: { readonly method: string }) => answers[method]?.() ?? null,
    on: () => {},
    removeListener: () => {},
  }
  // The library's own connector, which looks for its wallet where a browser has it.
  const own = injected({ shimDisconnect: false })
  const config = createConfig({
    chains: [chainOf(web)],
    connectors: [(to) => ({ ...own(to), getProvider: async () => provider })],
    transports: { [HERE]: http('http://127.0.0.1:1') },
    storage: null,
  })
  const connector = config.connectors[0]!
  await connect(config, { connector })
  const ask = () => switchTo(config, { connector, chainId: HERE })
  return { ask, wallet }
}

const errorOf = (asked: Promise<void>): Promise<unknown> =>
  asked.then(
    () => assert.unreachable(),
    (error: unknown) => error,
  )

Switch('one that learns of the chain and stays where it is has declined nothing', async () => {
  const { ask, wallet } = await askTo((each) => {
    each.knows = true
    return null
  })
  const { what } = explain(await errorOf(ask()))
  assert.is(what, 'Your wallet has not switched to this service’s chain.')
  await ask()
  assert.is(wallet.chainId, HERE)
})

Switch('somebody who does not want the chain in the wallet has declined it', async () => {
  const { ask } = await askTo(() => {
    throw refused(4001, 'User rejected the request.')
  })
  assert.is(explain(await errorOf(ask())).what, 'You declined it in your wallet.')
})

Switch('one that will not learn of the chain has declined nothing', async () => {
  const { ask } = await askTo(() => {
    throw refused(-32602, 'Expected a valid string HTTPS url')
  })
  assert.match(explain(await errorOf(ask())).what, /has not switched/)
})

Switch.run()
