import { createPublicClient, createWalletClient, encodeDeployData, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { buildContracts, readArtifact } from '../contracts/build.ts'
import { type Address, toAddress } from '../domain/ids.ts'
import { TIER_PRICES, TIERS, type Tier } from '../domain/tiers.ts'
import { devUsdgAbi, jobEscrowAbi, workerStakingAbi } from './abi.ts'
import { type Contracts, findContracts, writeContracts } from './contracts-file.ts'

export interface DeployOptions {
  readonly rpcUrl: string
  /** Pays for the deployment and becomes the admin of the escrow's roles. */
  readonly deployerPrivateKey: Hex
  readonly operators: { readonly locker: Hex; readonly settler: Hex }
  readonly treasury: Hex
  /** The payment token, 6 decimals. Without it a worthless one that anyone can mint is deployed. */
  readonly token?: Hex | undefined
  /** Where the addresses are kept, as JSON. */
  readonly addressFile: string
  readonly log?: ((line: string) => void) | undefined
}

/** From a lock's block time until anyone may take it back. */
const EXPIRY_SECONDS = 180
const POLLING_MS = 50

/**
 * Deploys the contracts once. A repeated call finds them by the address file and changes nothing; a
 * chain that has lost them (a local node started anew) gets new ones.
 * @throws when the address file speaks of another chain or another token
 */
export async function deployContracts(options: DeployOptions): Promise<Contracts> {
  const log = options.log ?? (() => {})
  const chain = connect(options)
  const known = await findContracts(options.addressFile)
  if (known !== undefined) {
    assertSameTarget(known, await chain.reader.getChainId(), options)
    if (await chain.hasCode(known)) return known
    log(`chain ${known.chainId} has no contracts at the known addresses: deploying anew`)
  }
  const deployed = await deployAll(chain, options, log)
  await writeContracts(options.addressFile, deployed)
  return deployed
}

async function deployAll(
  chain: Chain,
  options: DeployOptions,
  log: (line: string) => void,
): Promise<Contracts> {
  await buildContracts()
  const [staking, escrow] = await Promise.all([
    readArtifact('WorkerStaking'),
    readArtifact('JobEscrow'),
  ])

  const workerStaking = await chain.create(
    encodeDeployData({ abi: workerStakingAbi, bytecode: staking.bytecode }),
  )
  log(`WorkerStaking at ${workerStaking.address}`)

  const usdg = options.token ?? (await deployDevUsdg(chain))
  log(options.token === undefined ? `DevUsdg at ${usdg}, for development only` : `token is ${usdg}`)

  const config = {
    token: usdg,
    workers: workerStaking.address,
    treasury: options.treasury,
    admin: chain.deployer,
    ...options.operators,
    expirySeconds: EXPIRY_SECONDS,
    prices: tierPrices(),
  }
  const jobEscrow = await chain.create(
    encodeDeployData({ abi: jobEscrowAbi, bytecode: escrow.bytecode, args: [config] }),
  )
  log(`JobEscrow at ${jobEscrow.address}`)

  return {
    chainId: await chain.reader.getChainId(),
    jobEscrow: jobEscrow.address,
    workerStaking: workerStaking.address,
    usdg: toAddress(usdg),
    deployBlock: workerStaking.block,
  }
}

async function deployDevUsdg(chain: Chain): Promise<Address> {
  const { bytecode } = await readArtifact('DevUsdg')
  return (await chain.create(encodeDeployData({ abi: devUsdgAbi, bytecode }))).address
}

function tierPrices() {
  const price = (tier: Tier) => ({
    perRequest: Number(TIER_PRICES[tier].perRequest),
    per1kTokens: Number(TIER_PRICES[tier].per1kTokens),
  })
  // The chain numbers tiers by this order.
  const [lite, standard, pro, max] = TIERS
  return [price(lite), price(standard), price(pro), price(max)] as const
}

type Chain = ReturnType<typeof connect>

function connect({ rpcUrl, deployerPrivateKey }: DeployOptions) {
  const account = privateKeyToAccount(deployerPrivateKey)
  const reader = createPublicClient({ transport: http(rpcUrl), pollingInterval: POLLING_MS })
  const writer = createWalletClient({ account, transport: http(rpcUrl) })

  return {
    reader,
    deployer: account.address,

    async create(data: Hex): Promise<{ address: Address; block: number }> {
      const hash = await writer.sendTransaction({ data, chain: null })
      const receipt = await reader.waitForTransactionReceipt({ hash })
      if (receipt.status !== 'success' || !receipt.contractAddress) {
        throw new Error(`deployment ${hash} was refused by the chain`)
      }
      return {
        address: toAddress(receipt.contractAddress),
        block: Number(receipt.blockNumber),
      }
    },

    async hasCode({ jobEscrow, workerStaking, usdg }: Contracts): Promise<boolean> {
      const codes = await Promise.all(
        [jobEscrow, workerStaking, usdg].map((address) => reader.getCode({ address })),
      )
      return codes.every((code) => code !== undefined)
    },
  }
}

/** Overwriting the only record of contracts that hold money must not happen by a wrong setting. */
function assertSameTarget(known: Contracts, chainId: number, options: DeployOptions): void {
  const { addressFile, token } = options
  if (known.chainId !== chainId) {
    throw new Error(
      `${addressFile} holds addresses of chain ${known.chainId}, but the node is on chain ` +
        `${chainId}: use another address file`,
    )
  }
  if (token !== undefined && toAddress(token) !== known.usdg) {
    throw new Error(
      `${addressFile} holds an escrow of token ${known.usdg}, not ${token}: use another address file`,
    )
  }
}
