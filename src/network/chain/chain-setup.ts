import { ABI_HASH } from '../../chain/abi.ts'
import { type Contracts, findContracts, OlderAddressFile } from '../../chain/contracts-file.ts'
import { deployContracts } from '../../chain/deploy/deploy.ts'
import { defaultTerms } from '../../chain/deploy/settings.ts'
import { fundGas, fundWallet, shareCompute } from '../../chain/fund.ts'
import { buildContracts } from '../../contracts/build.ts'
import { toCredits } from '../../domain/credits.ts'
import type { DataDir } from '../data/data-dir.ts'
import { addressOf, type Keys } from '../data/keys.ts'
import type { Screen } from '../screen.ts'
import { waitFor } from '../waiting.ts'
import { chainWrittenAt, hasChainState } from './chain-state.ts'

const WALLET_CREDITS = toCredits(100_000)

interface ChainSetup {
  readonly rpcUrl: string
  readonly dir: DataDir
  readonly keys: Keys
  readonly screen: Screen
}

/**
 * Compiles ahead of the chain's start where a deployment will need it.
 * @throws where the state is of contracts of another version: its jobs and credits live on those
 */
export async function compileContracts(dir: DataDir, screen: Screen): Promise<void> {
  const known = await findContracts(dir.contractsFile).catch((error: unknown) => {
    if (error instanceof OlderAddressFile) return { abiHash: '' }
    throw error
  })
  if (!known) return screen.step('compiling contracts', buildContracts)
  if (known.abiHash === ABI_HASH) return
  throw new Error(
    `${dir.path} holds a network on contracts of another version: start with --fresh for a new one ` +
      '(its keys, jobs and credits are given up), or with another --data-dir',
  )
}

/** Puts contracts and credits on the chain, where they are not there yet. */
export async function setUpChain(setup: ChainSetup): Promise<Contracts> {
  const { rpcUrl, dir, keys, screen } = setup
  await fundGas(rpcUrl, gasPayers(keys))
  const contracts = await screen.step('contracts on chain', () =>
    deployContracts({
      rpcUrl,
      deployerPrivateKey: hex(keys.deployer),
      settings: {
        token: 'development',
        treasury: addressOf(keys.treasury),
        locker: addressOf(keys.locker),
        settler: addressOf(keys.settler),
        withdrawalSigner: addressOf(keys.withdrawal_signer),
        pauser: addressOf(keys.pauser),
        arbiter: addressOf(keys.arbiter),
        // On a network of one's own, so that an operator can be changed without a vote.
        admin: addressOf(keys.deployer),
        governance: 'timelock',
        terms: defaultTerms(),
      },
      addressFile: dir.contractsFile,
      lostContracts: 'replace',
    }),
  )
  const { funded, available } = await fundWallet({
    rpcUrl,
    contracts,
    walletPrivateKey: hex(keys.wallet),
    credits: WALLET_CREDITS,
  })
  screen.note(
    `✓ wallet ${addressOf(keys.wallet)} ${funded ? 'funded with' : 'holds'} ${available.toLocaleString('en')} credits`,
  )
  // The web app gives of it to whoever asks for test funds, so that staking and voting can be tried.
  await shareCompute({
    rpcUrl,
    contracts,
    holderPrivateKey: hex(keys.treasury),
    to: addressOf(keys.relayer),
  })
  return contracts
}

/** The node writes its state every five seconds. */
const KEPT_PATIENCE_MS = 15_000

/**
 * Resolves once the node has written its state after `since`. One that is killed before it has ever done so
 * begins a new chain, without contracts and credits, and nothing works on it.
 */
export async function untilChainIsKept({ chainState }: DataDir, since: number): Promise<void> {
  const isWritten = async () =>
    (chainWrittenAt(chainState) > since && hasChainState(chainState)) || undefined
  await waitFor(isWritten, KEPT_PATIENCE_MS)
}

const gasPayers = (keys: Keys) => {
  const { deployer, locker, settler, arbiter, pauser, keeper, relayer, treasury, wallet } = keys
  const own = [deployer, locker, settler, arbiter, pauser, keeper, relayer, treasury, wallet]
  return [...own, ...keys.workers].map(addressOf)
}

const hex = (key: string): `0x${string}` => `0x${key.slice(2)}`
