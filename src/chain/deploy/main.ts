import { formatEther } from 'viem'
import { buildContracts } from '../../contracts/build.ts'
import { ABI_HASH } from '../abi.ts'
import { type Contracts, findContracts, readContracts } from '../contracts-file.ts'
import { assertSuitable } from './chain-kind.ts'
import { checkDeployment } from './check.ts'
import { assertSound, chooseSettings } from './choose.ts'
import { assertPaymentToken, assertSameDeployment, deployContracts } from './deploy.ts'
import { type Deployer, makeDeployer, makeReader, type Reader } from './deployer.ts'
import type { Deployed } from './finding.ts'
import { type Forecast, forecast } from './forecast.ts'
import { type DeployCommand, readCommand, USAGE, WrongUse } from './options.ts'
import { type DeploymentRecord, readRecord } from './record.ts'
import { addressesInWords, findingsInWords, forecastInWords, holdersInWords } from './report.ts'
import { newRecord, stepsLeft } from './run.ts'
import type { Settings } from './settings.ts'
import { planSteps } from './steps.ts'

/** `npm run deploy`. Ends with 0 when all is as asked, with 1 when it is not. */

// Whoever reads may have seen enough; that is no reason to stop half way.
process.stdout.on('error', () => {})
const say = (text: string) => process.stdout.write(text)

try {
  const command = readCommand(process.argv.slice(2), process.env)
  if (command === 'help') say(USAGE)
  else process.exitCode = (await run(command)) ? 0 : 1
} catch (error) {
  process.stderr.write(`${inWords(error)}\n`)
  process.exitCode = 1
}

async function run(command: DeployCommand): Promise<boolean> {
  const reader = makeReader(command.rpcUrl)
  const chainId = await reachChain(reader, command)
  const record = await readRecord(command.addressFile)
  const settings = chooseSettings(command.given, record?.settings)
  if (command.mode === 'verify') {
    const contracts = await readContracts(command.addressFile)
    return verify(reader, { settings, later: command.later }, contracts)
  }
  const deployer = makeDeployer(reader, command.privateKey!)
  assertSound(settings, deployer.address)
  if (settings.token !== 'development') await assertPaymentToken(reader, settings.token)
  if (await findContracts(command.addressFile)) {
    say(`${command.addressFile} names contracts already.\n`)
    if (command.mode === 'dry-run') return true
  } else {
    const ahead = await look({ reader, deployer, settings, record, chainId, command })
    if (command.mode === 'dry-run') return true
    await assertCanPay(reader, deployer, ahead)
  }
  const contracts = await deployContracts({
    ...{ rpcUrl: command.rpcUrl, deployerPrivateKey: command.privateKey!, settings },
    addressFile: command.addressFile,
    confirmations: command.confirmations,
    log: (line) => say(`✓ ${line}\n`),
  })
  say(`\n${command.addressFile} says where all is:\n${addressesInWords(contracts)}\n`)
  say(`Who may do what:\n${holdersInWords(settings, contracts)}\n`)
  return verify(reader, { settings }, contracts)
}

/** @throws {WrongUse} where there is no node, or one of another chain */
async function reachChain(reader: Reader, { chainId: wanted }: DeployCommand): Promise<number> {
  const chainId = await reader.getChainId().catch((cause: Error) => {
    throw new Error('the node does not answer: check --rpc-url', { cause })
  })
  if (wanted === undefined || wanted === chainId) return chainId
  throw new WrongUse(`the node is on chain ${chainId}, not on ${wanted}: check --rpc-url`)
}

async function verify(
  reader: Reader,
  asked: Pick<Deployed, 'settings' | 'later'>,
  contracts: Contracts,
): Promise<boolean> {
  const chainId = await reader.getChainId()
  if (chainId !== contracts.chainId) {
    throw new WrongUse(
      `the address file is of chain ${contracts.chainId}, but the node is on chain ${chainId}`,
    )
  }
  await buildContracts()
  const { deployBlock } = contracts
  const findings = await checkDeployment({ reader, at: contracts, ...asked, chainId, deployBlock })
  say(findingsInWords(findings))
  return findings.every(({ holds }) => holds)
}

interface Looked {
  readonly reader: Reader
  readonly deployer: Deployer
  readonly settings: Settings
  readonly record: DeploymentRecord | undefined
  readonly chainId: number
  readonly command: DeployCommand
}

/** Says what there is to do and what it costs. */
async function look(looked: Looked): Promise<Forecast> {
  const { reader, deployer, settings, chainId, command } = looked
  const { record } = looked
  if (record) assertSameDeployment(record, { ...command, settings }, { deployer, chainId })
  await assertSuitable(reader)
  await buildContracts()
  const about = { chain_id: chainId, abi_hash: ABI_HASH, deploy_block: 0 }
  const { at, left } = await stepsLeft({
    ...{ reader, deployer, settings },
    steps: await planSteps(settings, deployer.address),
    record: record ?? newRecord(about, deployer.address, settings),
  })
  const names = left.map(({ step }) => step.name)
  const contents = left.map(({ content }) => content)
  const ahead = await forecast(reader, deployer.address, contents)
  const where = `on chain ${chainId}, as ${deployer.address}`
  say(`${left.length} transactions ${where}:\n${forecastInWords(names, ahead)}\n`)
  if (command.mode === 'dry-run') {
    say(`All would be here, if the deployer sends nothing else before:\n${addressesInWords(at)}\n`)
    say(`Who may do what in the end:\n${holdersInWords(settings, at)}`)
  }
  return ahead
}

/** Half a deployment is worth nothing: what all of it can cost has to be there before. */
async function assertCanPay(reader: Reader, deployer: Deployer, ahead: Forecast): Promise<void> {
  const gas = ahead.gas.reduce((sum, { units }) => sum + units, 0n)
  const needed = (gas * ahead.weiMost * 12n) / 10n
  const { address } = deployer
  const held = await reader.getBalance({ address })
  if (held >= needed) return
  throw new WrongUse(
    `${address} holds ${formatEther(held)} of the chain's coin, and may need ${formatEther(needed)}: ` +
      'send it more, and run this again',
  )
}

/** With its reasons, and without the address of the node: providers put their key in it. */
function inWords(error: unknown): string {
  const lines: string[] = []
  for (let one = error; one instanceof Error; one = one.cause) {
    const { shortMessage, message } = one as Error & { shortMessage?: string }
    lines.push(shortMessage ?? message)
  }
  return [...new Set(lines)].join('\n  because: ')
}
