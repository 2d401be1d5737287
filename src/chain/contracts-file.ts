import { type DeployedContracts, readDeployedContracts } from './deploy.ts'

/** Where the contracts are. */
export type Contracts = DeployedContracts

/**
 * Reads the address file that the deployment wrote.
 * @throws when there is none, or it is not one
 */
export async function readContracts(path: string): Promise<Contracts> {
  const contracts = await readDeployedContracts(path).catch((error: unknown) => {
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
