// Writes src/chain/abi.ts from the contracts. With --check it writes nothing, and fails when the
// file is not current.
import { readFile, writeFile } from 'node:fs/promises'
import { buildContracts, type ContractName, readArtifact } from './build.ts'

const OUTPUT = new URL('../chain/abi.ts', import.meta.url)
const ENUM_SOURCE = new URL('./src/interfaces/IJobEscrow.sol', import.meta.url)

await buildContracts()
const current = await readFile(OUTPUT, 'utf8').catch(() => '')
const wanted = await generate()
if (wanted === current) {
  process.stdout.write('src/chain/abi.ts is current\n')
} else if (process.argv.includes('--check')) {
  process.stderr.write('src/chain/abi.ts is not current: run src/contracts/generate-abi.ts\n')
  process.exitCode = 1
} else {
  await writeFile(OUTPUT, wanted)
  process.stdout.write('src/chain/abi.ts written\n')
}

async function generate(): Promise<string> {
  const solidity = await readFile(ENUM_SOURCE, 'utf8')
  return [
    '// Made by src/contracts/generate-abi.ts from the Solidity sources. Do not edit.\n',
    await abiConst('jobEscrowAbi', 'JobEscrow'),
    await abiConst('workerStakingAbi', 'WorkerStaking'),
    await abiConst('devUsdgAbi', 'DevUsdg'),
    enumConst('JOB_STATUSES', 'JobStatusName', 'JobStatus', solidity),
    enumConst('SKIP_REASONS', 'SkipReasonName', 'SkipReason', solidity),
  ].join('\n')
}

async function abiConst(name: string, contract: ContractName): Promise<string> {
  const { abi } = await readArtifact(contract)
  // One entry a line: a change of the contracts reads well as a diff.
  const lines = abi.map((entry) => `  ${JSON.stringify(entry, withoutInternalType)},\n`)
  return `export const ${name} = [\n${lines.join('')}] as const\n`
}

/** Solidity's own type names mean nothing outside of it. */
function withoutInternalType(key: string, value: unknown): unknown {
  return key === 'internalType' ? undefined : value
}

/** The ABI knows an enum only as uint8, so its members are read from the source, in their order. */
function enumConst(name: string, type: string, solidityName: string, solidity: string): string {
  const body = new RegExp(`\\benum ${solidityName} \\{([^}]*)\\}`).exec(solidity)?.[1]
  if (body === undefined) throw new Error(`no enum ${solidityName} in ${ENUM_SOURCE.pathname}`)
  const members = body
    .replace(/\/\/.*$/gm, '')
    .split(',')
    .map((member) => `  '${member.trim()}',\n`)
  return [
    `/** Members of the Solidity enum ${solidityName}, by their number on chain. */`,
    `export const ${name} = [\n${members.join('')}] as const`,
    `export type ${type} = (typeof ${name})[number]\n`,
  ].join('\n')
}
