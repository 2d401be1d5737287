import { getContractAddress } from 'viem'
import { type Address, toAddress } from '../../domain/ids.ts'
import type { Addresses, Made } from './constructors.ts'
import { type Content, contentHash, type Deployer, type Reader } from './deployer.ts'
import type { DeploymentRecord, Sent } from './record.ts'
import { type Settings, settingsText } from './settings.ts'
import type { Step } from './steps.ts'

export interface Run {
  readonly reader: Reader
  readonly deployer: Deployer
  readonly settings: Settings
  readonly steps: readonly Step[]
  readonly record: DeploymentRecord
  /** Returns once what is said would outlive a crash. */
  readonly keep: (record: DeploymentRecord) => Promise<void>
  readonly log: (line: string) => void
}

/**
 * Does each step that is not done yet, in order, and says where all contracts are. A transaction is
 * written down with its nonce before it is sent, and a nonce is used once by the chain: so whatever
 * dies at whatever moment, the next run goes on, and nothing is done twice.
 * @throws when the chain refuses a step, or does not include it in time
 */
export async function runSteps(run: Run): Promise<Addresses> {
  let record = run.record
  const keep = async (name: string, sent: Sent): Promise<void> => {
    record = { ...record, steps: { ...record.steps, [name]: sent } }
    await run.keep(record)
  }
  for (const step of run.steps) {
    const known = { ...run, record }
    const nonce = await run.deployer.nextNonce()
    const content = contentOf(step, addressesFrom(known, nonce))
    if (await isDone(known, step, content, nonce)) continue
    await send(known, step, content, (sent) => keep(step.name, sent))
  }
  return addressesFrom({ ...run, record }, 0)
}

/** What is left to do, with where each contract would come to be. Sends nothing. */
export async function stepsLeft(run: Omit<Run, 'keep' | 'log'>) {
  const nonce = await run.deployer.nextNonce()
  const at = addressesFrom(run, nonce)
  const left: { step: Step; content: Content }[] = []
  for (const step of run.steps) {
    const content = contentOf(step, at)
    if (!(await isDone(run, step, content, nonce))) left.push({ step, content })
  }
  return { at, left }
}

type Known = Pick<Run, 'settings' | 'steps' | 'record' | 'deployer' | 'reader'>

/** Where contracts are, and will be if they are made one after the other from `nonce` on. */
function addressesFrom({ settings, steps, record, deployer }: Known, nonce: number): Addresses {
  const at: Partial<Record<Made, Address>> = {}
  if (settings.token !== 'development') at.usdg = settings.token
  let next = BigInt(nonce)
  for (const { name, makes } of steps) {
    if (!makes) continue
    at[makes] =
      record.steps[name]?.address ??
      toAddress(getContractAddress({ from: deployer.address, nonce: next++ }))
  }
  const made = at as Record<Made, Address>
  return { ...made, timelock: firstMadeBy(made.governor) }
}

/** Where a contract makes its first contract. */
const firstMadeBy = (maker: Address): Address =>
  toAddress(getContractAddress({ from: maker, nonce: 1n }))

const contentOf = (step: Step, at: Addresses): Content => ({
  to: step.makes ? undefined : step.to(at),
  data: step.data(at),
})

async function isDone(known: Known, step: Step, content: Content, nonce: number): Promise<boolean> {
  const { reader, record } = known
  if (!step.makes) {
    const at = addressesFrom(known, nonce)
    return (await hasCode(reader, step.to(at))) && step.isDone(reader, at)
  }
  const sent = record.steps[step.name]
  if (sent?.address === undefined || sent.content !== contentHash(content)) return false
  return hasCode(reader, sent.address)
}

export const hasCode = async (reader: Reader, address: Address): Promise<boolean> =>
  (await reader.getCode({ address })) !== undefined

async function send(
  { deployer, record, log }: Pick<Run, 'deployer' | 'record' | 'log'>,
  step: Step,
  content: Content,
  keep: (sent: Sent) => Promise<void>,
): Promise<void> {
  const before = await stillOpen(deployer, record.steps[step.name], content)
  const nonce = before?.nonce ?? (await deployer.nextNonce())
  const { hash, raw } = await deployer.sign(content, nonce, before).catch((cause: Error) => {
    throw new Error(`${step.name}: cannot be sent`, { cause })
  })
  const address = step.makes && getContractAddress({ from: deployer.address, nonce: BigInt(nonce) })
  const sent: Sent = {
    nonce,
    content: contentHash(content),
    hashes: [...(before?.hashes ?? []), hash],
    raw,
    ...(address && { address: toAddress(address) }),
  }
  await keep(sent)
  await deployer.broadcast(sent)
  await deployer.untilSpent(sent)
  const outcome = await deployer.outcomeOf(sent)
  if (outcome === 'success') return log(`${step.name}${address ? `: ${sent.address}` : ''}`)
  throw new Error(
    outcome === 'reverted'
      ? `${step.name}: the chain refused transaction ${hash}`
      : `${step.name}: another transaction of ${deployer.address} took nonce ${nonce}: deploy with ` +
          'a key that nobody else sends with, and run this again',
  )
}

/** An earlier attempt at the same, which the chain can still take. */
async function stillOpen(
  deployer: Deployer,
  sent: Sent | undefined,
  content: Content,
): Promise<Sent | undefined> {
  if (!sent) return undefined
  const [isSpent, isSame] = [
    await deployer.isSpent(sent.nonce),
    sent.content === contentHash(content),
  ]
  if (isSpent && (await deployer.outcomeOf(sent)) === 'success') {
    const included = `transaction ${sent.hashes.at(-1)} was included`
    throw new Error(
      isSame
        ? `${included}, yet the node does not show what it did: wait until the node has caught up, and ` +
            'run this again'
        : `${included}, and this build would send something else in its place: go on with the version ` +
            'that this deployment was begun with, or name another address file',
    )
  }
  return isSpent || !isSame ? undefined : sent
}

/** A record of nothing sent yet. */
export const newRecord = (
  about: Pick<DeploymentRecord, 'chain_id' | 'deploy_block' | 'abi_hash'>,
  deployer: Address,
  settings: Settings,
): DeploymentRecord => ({ ...about, deployer, settings: settingsText(settings), steps: {} })
