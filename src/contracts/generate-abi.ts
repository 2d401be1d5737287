// Writes src/chain/abi.ts from the contracts. With --check it writes nothing, and fails when the
// file is not current.
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { buildContracts, type ContractName, readArtifact } from './build.ts'

const OUTPUT = new URL('../chain/abi.ts', import.meta.url)
const ENUM_SOURCES = ['IJobEscrow', 'IWorkerStaking', 'IModelRegistry'].map(
  (name) => new URL(`./src/interfaces/${name}.sol`, import.meta.url),
)

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
  const sources = await Promise.all(ENUM_SOURCES.map((source) => readFile(source, 'utf8')))
  const solidity = sources.join('\n')
  const spoken = [
    await abiConst('jobEscrowAbi', 'JobEscrow'),
    await abiConst('workerStakingAbi', 'WorkerStaking'),
    enumConst('JOB_STATUSES', 'JobStatusName', 'JobStatus', solidity),
    enumConst('SKIP_REASONS', 'SkipReasonName', 'SkipReason', solidity),
    enumConst('SLASH_REASONS', 'SlashReasonName', 'SlashReason', solidity),
    await abiConst('modelRegistryAbi', 'ModelRegistry'),
    enumConst('MODEL_STATUSES', 'ModelStatusName', 'ModelStatus', solidity),
  ]
  return [
    '// Made by src/contracts/generate-abi.ts from the Solidity sources. Do not edit.\n',
    ...spoken,
    await abiConst('rComputeAbi', 'RCompute'),
    await abiConst('computeGovernorAbi', 'ComputeGovernor'),
    await abiConst('devUsdgAbi', 'DevUsdg'),
    hashConst(spoken.join()),
    await forwarderConst(),
  ].join('\n')
}

function hashConst(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  return [
    '/** Tells whether deployed contracts speak as JobEscrow, WorkerStaking and ModelRegistry do here. */',
    `export const ABI_HASH = '${hash}'\n`,
  ].join('\n')
}

/** A CREATE2 address follows from it: the escrow's deposit addresses are known without asking. */
async function forwarderConst(): Promise<string> {
  const { bytecode } = await readArtifact('DepositForwarder')
  const hash = Buffer.from(keccak_256(Buffer.from(bytecode.slice(2), 'hex'))).toString('hex')
  return [
    '/** Keccak-256 of the creation code of DepositForwarder. */',
    `export const DEPOSIT_FORWARDER_CODE_HASH = '0x${hash}'\n`,
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
  if (body === undefined) throw new Error(`no enum ${solidityName} in src/contracts/src/interfaces`)
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
