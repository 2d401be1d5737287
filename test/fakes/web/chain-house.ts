import { join } from 'node:path'
import type { Contracts } from '../../../src/chain/contracts-file.ts'
import { deployContracts } from '../../../src/chain/deploy/deploy.ts'
import { fundWallet } from '../../../src/chain/fund.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { type JobId, toJobId } from '../../../src/domain/ids.ts'
import type { WebConfig } from '../../../src/web/api.ts'
import {
  addressOf,
  type EmptyChain,
  KEYS,
  type LocalChain,
  SETTINGS,
  startEmptyChain,
} from '../chain/anvil.ts'
import { makeOperatorCaller } from '../chain/operator-caller.ts'
import { type FakeWeb, startFakeWeb } from './fake-api.ts'
import { makeFakeHouse } from './fake-house.ts'

/**
 * The web app over a real chain with this service's contracts, where a customer has had a job done, one
 * given back, and one refused. What /api answers is made up; the pages of the chain do not ask it.
 */
export interface ChainHouse {
  readonly web: FakeWeb
  readonly chain: LocalChain
  /** The worker's own key, which the worker is paid to. It holds all of RCOMPUTE, too. */
  readonly workerKey: `0x${string}`
  readonly jobs: Record<'settled' | 'refunded' | 'skipped', JobId>
  /** Lets the chain's time pass. */
  pass(seconds: bigint | number): Promise<void>
  stop(): Promise<void>
}

const CREDITS = 1_000n
const jobId = (digit: string) => toJobId(`job_${digit.repeat(26)}`)

export async function startChainHouse(): Promise<ChainHouse> {
  const empty = await startEmptyChain()
  const contracts = await deployContracts({
    rpcUrl: empty.rpcUrl,
    deployerPrivateKey: KEYS.deployer,
    settings: { ...SETTINGS, treasury: addressOf(KEYS.worker) },
    addressFile: join(empty.dir, 'contracts.json'),
  })
  const chain = { ...empty, contracts }
  const jobs = { settled: jobId('a'), refunded: jobId('b'), skipped: jobId('c') }
  await doJobs(chain, jobs)
  const web = await startOver(empty, contracts)
  return {
    ...{ web, chain, jobs },
    workerKey: KEYS.worker,
    pass: async (seconds) => {
      await chain.rpc.call('evm_increaseTime', [Number(seconds)])
      await chain.rpc.call('evm_mine', [])
    },
    stop: async () => {
      await web.stop()
      await chain.stop()
    },
  }
}

async function doJobs(chain: LocalChain, jobs: ChainHouse['jobs']): Promise<void> {
  const { rpcUrl, contracts } = chain
  const credits = toCredits(CREDITS)
  await fundWallet({ rpcUrl, contracts, walletPrivateKey: KEYS.wallet, credits })
  const operator = makeOperatorCaller({ rpcUrl, contracts })
  await operator.registerWorker(addressOf(KEYS.worker))
  await operator.lock([jobs.settled, jobs.refunded], addressOf(KEYS.wallet))
  await operator.settle([jobs.settled, jobs.skipped])
  await operator.refund([jobs.refunded])
}

async function startOver({ rpcUrl }: EmptyChain, contracts: Contracts): Promise<FakeWeb> {
  const house = makeFakeHouse(rpcUrl, Date.now())
  let origin = ''
  const config = (): WebConfig => ({
    ...house.config,
    explorer_url: `${origin}/explorer`,
    contracts: {
      job_escrow: contracts.jobEscrow,
      worker_staking: contracts.workerStaking,
      usdg: contracts.usdg,
      r_compute: contracts.rCompute,
      model_registry: contracts.modelRegistry,
      governor: contracts.governor,
      timelock: contracts.timelock,
      deploy_block: contracts.deployBlock,
    },
  })
  const web = await startFakeWeb({
    ...house,
    answer: (asked) => (asked.path === '/config' ? { body: config() } : house.answer(asked)),
  })
  origin = web.url
  return web
}
