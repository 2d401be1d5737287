import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { type Address, toAddress } from '../domain/ids.ts'

/** Where the contracts are. */
export interface Contracts {
  readonly chainId: number
  readonly jobEscrow: Address
  readonly workerStaking: Address
  readonly usdg: Address
  /** No log of these contracts is older than this block. */
  readonly deployBlock: number
}

/**
 * Reads the address file that the deployment wrote.
 * @throws when there is none, or it is not one
 */
export async function readContracts(path: string): Promise<Contracts> {
  const contracts = await findContracts(path).catch((error: unknown) => {
    throw new Error(
      `CONTRACTS_FILE ${path} is not an address file; deploy the contracts, or name the file that ` +
        'their deployment wrote',
      { cause: error },
    )
  })
  if (!contracts) {
    throw new Error(
      `CONTRACTS_FILE ${path} does not exist; deploy the contracts first, or name the file that ` +
        'their deployment wrote',
    )
  }
  return contracts
}

const address = z.string().transform(toAddress)
const AddressFile = z.object({
  chain_id: z.int().positive(),
  job_escrow: address,
  worker_staking: address,
  usdg: address,
  deploy_block: z.int().nonnegative(),
})

/** What the address file says, or undefined where there is none. */
export async function findContracts(path: string): Promise<Contracts | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const file = AddressFile.parse(JSON.parse(text))
  return {
    chainId: file.chain_id,
    jobEscrow: file.job_escrow,
    workerStaking: file.worker_staking,
    usdg: file.usdg,
    deployBlock: file.deploy_block,
  }
}

export async function writeContracts(path: string, deployed: Contracts): Promise<void> {
  const file: z.input<typeof AddressFile> = {
    chain_id: deployed.chainId,
    job_escrow: deployed.jobEscrow,
    worker_staking: deployed.workerStaking,
    usdg: deployed.usdg,
    deploy_block: deployed.deployBlock,
  }
  await mkdir(dirname(path), { recursive: true })
  // Whoever waits for the file must never read half of it.
  await writeFile(`${path}.new`, `${JSON.stringify(file, null, 2)}\n`)
  await rename(`${path}.new`, path)
}
