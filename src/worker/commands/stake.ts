import { parseUnits } from 'viem'
import { ConfigError } from '../../config/read.ts'
import { escrowAbi, stakingAbi, usdgErrors } from '../chain/abi.ts'
import { type Chain, openChain } from '../chain/chain.ts'
import { findContracts } from '../chain/contracts.ts'
import { Sender } from '../chain/send.ts'
import { HOW_TO_REGISTER, readFactsOfAny, type WorkerFacts } from '../chain/worker-facts.ts'
import type { Settings } from '../cli/settings.ts'
import { existingKey, type WorkerKey } from '../key/open-key.ts'
import { tokens, usdg } from '../status/line.ts'

const TOKEN_DECIMALS = 18

interface Account {
  readonly chain: Chain
  readonly key: WorkerKey
  readonly sender: Sender
  readonly facts: WorkerFacts
}

/** Stakes tokens of the worker's own key. @param amount in whole tokens, like `1000` or `0.5` */
export async function stake(settings: Settings, amount: string): Promise<string> {
  const account = await open(settings)
  const { sender, facts, key } = account
  const units = unitsOf(amount)
  if (facts.deactivated) {
    throw new ConfigError(`${key.address} has left for good: a stake would bring it nothing`)
  }
  if (units > BigInt(facts.tokenUnits)) {
    throw new ConfigError(
      `${key.address} holds ${tokens(facts.tokenUnits)} RCompute, less than ${amount}: send it some`,
    )
  }
  const hash = await sender.stake(facts.workerId, units)
  const after = await factsOf(account)
  const least = tokens(after.minimumStake)
  return [
    `staked ${amount} RCompute in transaction ${hash}`,
    after.isBoosted
      ? `active stake ${tokens(after.stake)}: the next job settles at ${after.shareBps / 100} %`
      : `active stake ${tokens(after.stake)} of ${least}: the share stays ${after.shareBps / 100} % until it is ${least}`,
  ].join('\n')
}

/** Begins to take stake out. @param amount in whole tokens, or `all` */
export async function unstake(settings: Settings, amount: string): Promise<string> {
  const account = await open(settings)
  const { sender, facts, chain } = account
  const staked = BigInt(facts.stake)
  const units = amount === 'all' ? staked : unitsOf(amount)
  if (staked === 0n) {
    throw new ConfigError(`nothing is staked that could be taken out${waits(facts)}`)
  }
  if (units > staked) {
    throw new ConfigError(
      `${tokens(facts.stake)} RCompute are staked, less than ${amount}: unstake all takes out what there is`,
    )
  }
  const hash = await sender.send({
    address: chain.contracts.workerStaking,
    abi: stakingAbi,
    functionName: 'requestUnstake',
    args: [facts.workerId, units],
  })
  const after = await factsOf(account)
  return [
    `unbonding ${tokens(after.unbonding)} RCompute, transaction ${hash}`,
    `svc-worker withdraw pays it out from ${withdrawableFrom(after)}; ` +
      'until then it earns nothing and can still be slashed',
  ].join('\n')
}

/** Pays unbonded stake out to the payee. */
export async function withdraw(settings: Settings): Promise<string> {
  const { sender, facts, chain } = await open(settings)
  if (facts.unbonding === '0') {
    throw new ConfigError('nothing to withdraw: svc-worker unstake begins to take stake out')
  }
  const hash = await sender.send({
    address: chain.contracts.workerStaking,
    abi: stakingAbi,
    functionName: 'withdraw',
    args: [facts.workerId],
  })
  return `paid ${tokens(facts.unbonding)} RCompute to ${facts.payee}, transaction ${hash}`
}

/** Pays earnings out to the payee. */
export async function claim(settings: Settings): Promise<string> {
  const { sender, facts, chain } = await open(settings)
  if (facts.earnedUnits === '0') {
    throw new ConfigError('nothing to claim: all that was earned is paid out')
  }
  if (facts.claimableUnits === '0') {
    throw new ConfigError(
      `nothing to claim yet: ${usdg(facts.earnedUnits)} USDG are on hold, for as long as a job can be disputed`,
    )
  }
  const hash = await sender.send({
    address: chain.contracts.jobEscrow,
    abi: [...escrowAbi, ...usdgErrors],
    functionName: 'claim',
    args: [facts.workerId],
  })
  return `paid ${usdg(facts.claimableUnits)} USDG to ${facts.payee}, transaction ${hash}`
}

async function open(settings: Settings): Promise<Account> {
  const contracts = await findContracts(settings)
  const chain = await openChain(settings, contracts)
  const key = await existingKey(settings)
  const facts = await factsOf({ chain, key })
  return { chain, key, facts, sender: new Sender(chain, key) }
}

async function factsOf({ chain, key }: Pick<Account, 'chain' | 'key'>): Promise<WorkerFacts> {
  const facts = await readFactsOfAny(chain, key.address)
  if (facts) return facts
  throw new ConfigError(`${key.address} is not registered: ${HOW_TO_REGISTER}`)
}

const withdrawableFrom = ({ withdrawableAt }: WorkerFacts): string =>
  new Date(withdrawableAt * 1_000).toISOString()

/** What of the stake is on its way out, where something is. */
const waits = (facts: WorkerFacts): string =>
  facts.unbonding === '0'
    ? ''
    : `: ${tokens(facts.unbonding)} RCompute can be withdrawn from ${withdrawableFrom(facts)}`

function unitsOf(amount: string): bigint {
  const units = /^\d+(\.\d+)?$/.test(amount) ? parseUnits(amount, TOKEN_DECIMALS) : 0n
  if (units > 0n) return units
  throw new ConfigError(`${amount} is no amount of RCompute: a number above 0, like 1000 or 0.5`)
}
