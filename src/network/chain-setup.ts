import { existsSync } from 'node:fs'
import type { Contracts } from '../chain/contracts-file.ts'
import { deployContracts } from '../chain/deploy.ts'
import { fundGas, fundWallet } from '../chain/fund.ts'
import { buildContracts } from '../contracts/build.ts'
import { toCredits } from '../domain/credits.ts'
import type { DataDir } from './data-dir.ts'
import { addressOf, type Keys } from './keys.ts'
import type { Screen } from './screen.ts'

const WALLET_CREDITS = toCredits(100_000)

interface ChainSetup {
  readonly rpcUrl: string
  readonly dir: DataDir
  readonly keys: Keys
  readonly screen: Screen
}

/** Compiles ahead of the chain's start where a deployment will need it. */
export async function compileContracts(dir: DataDir, screen: Screen): Promise<void> {
  if (existsSync(dir.contractsFile)) return
  await screen.step('compiling contracts', buildContracts)
}

/** Puts contracts and credits on the chain, where they are not there yet. */
export async function setUpChain(setup: ChainSetup): Promise<Contracts> {
  const { rpcUrl, dir, keys, screen } = setup
  await fundGas(rpcUrl, gasPayers(keys))
  const contracts = await screen.step('contracts on chain', () =>
    deployContracts({
      rpcUrl,
      deployerPrivateKey: hex(keys.deployer),
      operators: { locker: addressOf(keys.locker), settler: addressOf(keys.settler) },
      treasury: addressOf(keys.treasury),
      addressFile: dir.contractsFile,
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
  return contracts
}

const gasPayers = ({ deployer, locker, settler, wallet, workers }: Keys) =>
  [deployer, locker, settler, wallet, ...workers].map(addressOf)

const hex = (key: string): `0x${string}` => `0x${key.slice(2)}`
