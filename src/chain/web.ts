import type { Address } from '../domain/ids.ts'
import type { Hex } from '../ports/escrow.ts'
import type { NetworkReader } from '../ports/network-chain.ts'
import type { DepositRelay, Faucet, SignIn, WalletReader } from '../ports/web-chain.ts'
import type { Log } from '../telemetry/log.ts'
import type { Contracts } from './contracts-file.ts'
import { makeDepositRelay } from './deposit-relay.ts'
import { makeFaucet } from './faucet.ts'
import { openNode } from './open-node.ts'
import { coinOf } from './read/coin.ts'
import { makeNetworkReader } from './read/network-reader.ts'
import { makeWalletReader } from './read/wallet-reader.ts'
import { makeNonces } from './send/nonces.ts'
import { makeLocalSigner } from './send/transaction.ts'
import { makeSender } from './sender.ts'
import { makeSignIn } from './sign-in.ts'

interface Options {
  readonly rpcUrl: string
  readonly contracts: Contracts
  /** Pays the gas of relayed deposits; undefined: none are relayed, and there is no faucet. */
  readonly relayerPrivateKey: string | undefined
  /** Most wei a unit of gas. */
  readonly feeCeilingWei: bigint
  readonly log: Log
}

/** What the web app needs of the chain. */
export interface WebChain {
  readonly reader: WalletReader
  readonly network: NetworkReader
  readonly signIn: SignIn
  readonly relay: DepositRelay | undefined
  readonly faucet: Faucet | undefined
  /** The relayer's. */
  readonly payer: Address | undefined
  /** What an address holds of the chain's coin, in whole coins. @throws {ChainUnavailable} */
  coinOf(address: Address): Promise<number>
  close(): Promise<void>
}

/** As long as a transaction waits for its block before it is sent again with higher fees. */
const REPLACE_AFTER_MS = 15_000

/** @throws {OperatorError} where the node is not one for these contracts */
export async function connectWebChain(options: Options): Promise<WebChain> {
  const { rpcUrl, contracts, relayerPrivateKey, feeCeilingWei, log } = options
  const { rpc, close } = await openNode({ rpcUrl, contracts, log })
  const reader = makeWalletReader({ rpc, contracts, log })
  const network = makeNetworkReader({ rpc, contracts, log })
  const signIn = makeSignIn({ rpcUrl, chainId: contracts.chainId })
  const all = {
    reader,
    network,
    signIn,
    coinOf: (address: Address) => coinOf(rpc, address),
    close,
  }
  if (!relayerPrivateKey) return { ...all, payer: undefined, relay: undefined, faucet: undefined }
  const signer = makeLocalSigner(relayerPrivateKey as Hex)
  const nonces = makeNonces(rpc, signer.address)
  const sending = { rpc, contracts, signer, nonces, log, replaceAfterMs: REPLACE_AFTER_MS }
  const sender = makeSender(sending, feeCeilingWei)
  return {
    ...all,
    payer: signer.address,
    relay: makeDepositRelay({ rpc, contracts, sender }),
    faucet: makeFaucet({ rpc, contracts, reader, sender, stock: signer.address }),
  }
}
