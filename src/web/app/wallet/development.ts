import { createWalletClient, type Hex, http, numberToHex, type RpcTransactionRequest } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { estimateGas } from 'viem/actions'
import type { WebConfig } from '../../api.ts'
import { keptByBrowser } from '../session/kept.ts'
import { randomId } from '../session/random-id.ts'
import { chainOf, DEVELOPMENT_RDNS } from './wagmi.ts'

/**
 * A wallet for development chains, announced like any other (EIP-6963). Its key is made in this
 * browser and kept in it, readable by anyone who can open it: worth nothing elsewhere.
 */

const KEY_ITEM = 'svc.development-wallet.key'
const CONNECTED_ITEM = 'svc.development-wallet.connected'
const USER_REJECTED = 4001
const UNKNOWN_CHAIN = 4902
const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 24 24%22%3E%3Crect width=%2224%22 height=%2224%22 rx=%226%22 fill=%22%23b45309%22/%3E%3Cpath d=%22M6 9h12v8H6zM8 9V7h8v2%22 fill=%22none%22 stroke=%22%23fff%22 stroke-width=%221.6%22/%3E%3C/svg%3E'

interface Call {
  readonly method: string
  readonly params?: readonly unknown[]
}

export function announceDevelopmentWallet(web: WebConfig): void {
  const detail = Object.freeze({
    info: {
      uuid: randomId(),
      name: 'Development wallet (test funds)',
      icon: ICON,
      rdns: DEVELOPMENT_RDNS,
    },
    provider: makeProvider(web),
  })
  const announce = () =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  window.addEventListener('eip6963:requestProvider', announce)
  announce()
}

function makeProvider(web: WebConfig) {
  const account = privateKeyToAccount(ownKey())
  const chain = chainOf(web)
  const client = createWalletClient({ account, chain, transport: http(web.chain.rpc_url) })
  const connected = () => keptByBrowser.getItem(CONNECTED_ITEM) === 'yes'
  const accounts = () => (connected() ? [account.address] : [])

  const request = async ({ method, params = [] }: Call): Promise<unknown> => {
    switch (method) {
      case 'eth_requestAccounts':
        keptByBrowser.setItem(CONNECTED_ITEM, 'yes')
        return accounts()
      case 'wallet_requestPermissions':
        keptByBrowser.setItem(CONNECTED_ITEM, 'yes')
        return [
          {
            parentCapability: 'eth_accounts',
            caveats: [{ type: 'restrictReturnedAccounts', value: accounts() }],
          },
        ]
      case 'wallet_revokePermissions':
        keptByBrowser.removeItem(CONNECTED_ITEM)
        return null
      case 'eth_accounts':
        return accounts()
      case 'eth_chainId':
        return numberToHex(chain.id)
      case 'wallet_switchEthereumChain':
      case 'wallet_addEthereumChain':
        return switchTo(params[0] as { chainId: Hex }, chain.id)
      case 'personal_sign':
        requireConnected(connected())
        return account.signMessage({ message: { raw: params[0] as Hex } })
      case 'eth_signTypedData_v4':
        requireConnected(connected())
        return account.signTypedData(JSON.parse(params[1] as string))
      case 'eth_sendTransaction': {
        requireConnected(connected())
        const { to, data, value } = params[0] as RpcTransactionRequest
        const asked = {
          to: to ?? null,
          ...(data && { data }),
          ...(value && { value: BigInt(value) }),
        }
        const gas = await estimateGas(client, { ...asked, account })
        // As other wallets do: what a call costs depends on its block, since votes are kept once a second.
        return client.sendTransaction({ ...asked, gas: (gas * 3n) / 2n })
      }
      default:
        return client.request({ method, params } as Parameters<typeof client.request>[0])
    }
  }
  // Neither its account nor its chain ever changes, so there is nothing to listen to.
  return { request, on: () => {}, removeListener: () => {} }
}

function ownKey(): Hex {
  const kept = keptByBrowser.getItem(KEY_ITEM)
  if (kept && /^0x[0-9a-f]{64}$/.test(kept)) return kept as Hex
  const made = generatePrivateKey()
  keptByBrowser.setItem(KEY_ITEM, made)
  return made
}

function switchTo({ chainId }: { chainId: Hex }, own: number): null {
  if (Number(chainId) === own) return null
  throw Object.assign(new Error(`The development wallet knows only chain ${own}.`), {
    code: UNKNOWN_CHAIN,
  })
}

function requireConnected(connected: boolean): void {
  if (connected) return
  throw Object.assign(new Error('The development wallet is not connected.'), {
    code: USER_REJECTED,
  })
}
