import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export type ContractName = 'JobEscrow' | 'WorkerStaking' | 'DevUsdg'

export interface Artifact {
  readonly abi: readonly AbiItem[]
  /** Creation code, without constructor arguments. */
  readonly bytecode: `0x${string}`
}

export interface AbiItem {
  readonly type: string
  readonly name?: string
}

const CONTRACTS_DIR = fileURLToPath(new URL('.', import.meta.url))
const FORGE = fileURLToPath(new URL('../../node_modules/.bin/forge', import.meta.url))

/**
 * Compiles the contracts, without their tests. A repeated call finds nothing changed and is quick.
 * @throws with the compiler's messages
 */
export async function buildContracts(): Promise<void> {
  // forge is asked each time, even when artifacts exist: it knows whether they fit the sources.
  await promisify(execFile)(FORGE, ['build', '--skip', 'test'], { cwd: CONTRACTS_DIR }).catch(
    (cause: Error & { stderr?: string }) => {
      throw new Error(`forge build failed\n${cause.stderr ?? ''}`, { cause })
    },
  )
}

/** What the last build made of one contract. */
export async function readArtifact(name: ContractName): Promise<Artifact> {
  const path = join(CONTRACTS_DIR, 'out', `${name}.sol`, `${name}.json`)
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new Error(`${name} is not built: call buildContracts() first`, { cause })
  })
  const { abi, bytecode } = JSON.parse(text) as {
    abi: AbiItem[]
    bytecode: { object: `0x${string}` }
  }
  return { abi, bytecode: bytecode.object }
}
