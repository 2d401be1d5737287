import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export type ContractName =
  | 'JobEscrow'
  | 'WorkerStaking'
  | 'RCompute'
  | 'ModelRegistry'
  | 'ComputeGovernor'
  | 'TimelockController'
  | 'DepositForwarder'
  | 'DevUsdg'

export interface Artifact {
  readonly abi: readonly AbiItem[]
  /** Creation code, without constructor arguments. */
  readonly bytecode: `0x${string}`
  /** Code as it lies on chain, with zeros where immutables go. */
  readonly runtime: `0x${string}`
  /** Where immutables go in it, in bytes; one list for each, of all its places. */
  readonly immutables: readonly (readonly Place[])[]
}

export interface Place {
  readonly start: number
  readonly length: number
}

export interface AbiItem {
  readonly type: string
  readonly name?: string
}

const CONTRACTS_DIR = fileURLToPath(new URL('.', import.meta.url))
// Not by its link in `.bin`: its programs for other machines claim the same name there, and npm 10 removes
// the link again with them.
const FORGE = fileURLToPath(
  new URL('../../node_modules/@foundry-rs/forge/bin.mjs', import.meta.url),
)

let built: Promise<void> | undefined

/**
 * Compiles the contracts, without their tests, once in the life of a process.
 * @throws with the compiler's messages
 */
export function buildContracts(): Promise<void> {
  built ??= build().catch((error: unknown) => {
    built = undefined
    throw error
  })
  return built
}

async function build(): Promise<void> {
  // forge is asked each time, even when artifacts exist: it knows whether they fit the sources.
  const forge = promisify(execFile)(process.execPath, [FORGE, 'build', '--skip', 'test'], {
    cwd: CONTRACTS_DIR,
  })
  const { stderr } = await forge.catch((cause: Error & { stderr?: string }) => {
    throw new Error(`forge build failed\n${cause.stderr ?? ''}`, { cause })
  })
  // The package's wrapper ends with 0 whatever forge ends with.
  if (/^Error/m.test(stderr)) throw new Error(`forge build failed\n${stderr}`)
}

/** What the last build made of one contract. */
export async function readArtifact(name: ContractName): Promise<Artifact> {
  const path = join(CONTRACTS_DIR, 'out', `${name}.sol`, `${name}.json`)
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new Error(`${name} is not built: call buildContracts() first`, { cause })
  })
  const { abi, bytecode, deployedBytecode } = JSON.parse(text) as {
    abi: AbiItem[]
    bytecode: { object: `0x${string}` }
    deployedBytecode: {
      object: `0x${string}`
      immutableReferences?: Record<string, Place[]>
    }
  }
  return {
    abi,
    bytecode: bytecode.object,
    runtime: deployedBytecode.object,
    immutables: Object.values(deployedBytecode.immutableReferences ?? {}),
  }
}
