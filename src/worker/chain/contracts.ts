import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ConfigError } from '../../config/read.ts'
import { addressFromBytes } from '../../domain/bytes.ts'
import { type Address, toAddress } from '../../domain/ids.ts'
import { type PoolChallenge, readChallenge } from '../challenge.ts'
import type { Settings } from '../cli/settings.ts'
import { writeNewFile } from '../local/new-file.ts'

/** Where this worker's money is. */
export interface WorkerContracts {
  readonly chainId: number
  readonly jobEscrow: Address
  readonly workerStaking: Address
}

const remembered = z.object({
  chain_id: z.int().positive(),
  job_escrow: z.string().transform(toAddress),
  worker_staking: z.string().transform(toAddress),
})

/** Named by the operator alone they are on the chain of `--rpc`, whichever that is. */
export type FoundContracts = Omit<WorkerContracts, 'chainId'> & { readonly chainId?: number }

/**
 * Where this worker's money is, as a pool says. Where none answers, as it was said at first: nobody needs a pool to
 * take out what is theirs. And where the operator names both contracts, no pool is asked: a network that has moved to
 * others leaves stake and earnings in those of before.
 * @throws {ConfigError}
 */
export async function findContracts(settings: Settings): Promise<FoundContracts> {
  const given = givenBy(settings)
  if (given) return given
  const answer = await readChallenge(settings).catch((error: unknown) => {
    if (error instanceof ConfigError) return error
    throw error
  })
  if (!(answer instanceof ConfigError)) return trustedContracts(settings, answer)
  const before = read(fileOf(settings))
  if (!before) throw answer
  const { WORKER_ESCROW = before.jobEscrow, WORKER_STAKING = before.workerStaking } = settings
  return {
    chainId: before.chainId,
    jobEscrow: toAddress(WORKER_ESCROW),
    workerStaking: toAddress(WORKER_STAKING),
  }
}

const fileOf = (settings: Settings): string => join(settings.WORKER_HOME, 'contracts.json')

/** What no pool has to say can neither be wrong in its mouth, nor be remembered as its word. */
function givenBy({ WORKER_ESCROW, WORKER_STAKING }: Settings): FoundContracts | undefined {
  if (!WORKER_ESCROW || !WORKER_STAKING) return undefined
  return { jobEscrow: toAddress(WORKER_ESCROW), workerStaking: toAddress(WORKER_STAKING) }
}

/**
 * The contracts that a pool works with, checked against those of the first time: a pool that names
 * others later could be after the stake.
 * @throws {ConfigError}
 */
export function trustedContracts(settings: Settings, said: PoolChallenge): WorkerContracts {
  const given = givenBy(settings)
  if (given) return { ...given, chainId: said.challenge.chainId }
  const named = namedBy(settings, said)
  const file = fileOf(settings)
  const before = read(file)
  if (!before) {
    write(file, named)
    return named
  }
  const same =
    before.chainId === named.chainId &&
    before.jobEscrow === named.jobEscrow &&
    before.workerStaking === named.workerStaking
  if (same) return named
  throw new ConfigError(
    `the pool ${said.pool} names other contracts than before (${told(named)}; before: ${told(before)}). ` +
      `If the network has announced them, remove ${file}, and take what is yours out of those of before with ` +
      `--job-escrow ${before.jobEscrow} --worker-staking ${before.workerStaking}; if not, do not trust that pool`,
  )
}

const told = ({ chainId, jobEscrow, workerStaking }: WorkerContracts): string =>
  `chain ${chainId}, JobEscrow ${jobEscrow}, WorkerStaking ${workerStaking}`

function namedBy(settings: Settings, { pool, challenge }: PoolChallenge): WorkerContracts {
  const jobEscrow = settings.WORKER_ESCROW ?? addressFromBytes(challenge.jobEscrow)
  const workerStaking = settings.WORKER_STAKING ?? addressFromBytes(challenge.workerStaking)
  if (!jobEscrow || !workerStaking) {
    throw new ConfigError(
      `the pool ${pool} names no contracts: give --job-escrow, --worker-staking`,
    )
  }
  return {
    chainId: challenge.chainId,
    jobEscrow: toAddress(jobEscrow),
    workerStaking: toAddress(workerStaking),
  }
}

function read(file: string): WorkerContracts | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new ConfigError(`${file} cannot be read: ${(error as Error).message}`)
  }
  return parse(file, text)
}

function parse(file: string, text: string): WorkerContracts {
  try {
    const found = remembered.parse(JSON.parse(text))
    return {
      chainId: found.chain_id,
      jobEscrow: found.job_escrow,
      workerStaking: found.worker_staking,
    }
  } catch {
    throw new ConfigError(
      `${file} is damaged: remove it, and the contracts that the pool names are believed once more. ` +
        'Compare them with those that the network has announced, or give --job-escrow and --worker-staking',
    )
  }
}

function write(file: string, { chainId, jobEscrow, workerStaking }: WorkerContracts): void {
  const fields = { chain_id: chainId, job_escrow: jobEscrow, worker_staking: workerStaking }
  writeNewFile(file, `${JSON.stringify(fields, null, 2)}\n`)
}
