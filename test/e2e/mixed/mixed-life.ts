import { type JobId, toAddress, toJobId } from '../../../src/domain/ids.ts'
import { makeEscrowCaller } from '../../fakes/chain/escrow-caller.ts'
import type { Network, NetworkOptions } from '../../network/network.ts'
import { until } from '../../until.ts'
import { lockedJobs } from '../books.ts'
import { ask, MODEL } from '../calls.ts'
import { type OwnWorker, startWorker } from '../own-worker.ts'
import { untilServed } from '../until.ts'
import {
  elapseOnChain,
  type MixedCaller,
  makeCallers,
  makeStranger,
  type Stranger,
  unlessDone,
} from './callers.ts'
import { directCalls } from './direct-calls.ts'
import { type Ending, oneJob, SLOW_MODEL } from './jobs.ts'
import { stakeFor } from './stake.ts'

/** A network that is fast with most, and too slow with some. */
export const MIXED_NETWORK: NetworkOptions = {
  env: {
    JOB_WINDOW_SECONDS: '10',
    WORKER_SAMPLE_TOKEN_MS: '0',
    WORKER_SAMPLE_TOKENS: '600',
    WORKER_SLOTS: '64',
    LOG_LEVEL: 'warn',
  },
}

export interface MixedLife {
  /** How many calls ended in each way. */
  readonly endings: Readonly<Record<string, number>>
  readonly directCalls: number
  readonly seconds: number
}

interface Mix {
  readonly jobs: number
  readonly concurrency: number
  /** What each wallet begins with. */
  readonly credits: bigint
}

const DEATHS = 3
const SERVED_MS = 60_000
const VERDICT_MS = 60_000
/**
 * Once nothing else is sent, a local node that mines at each transaction was seen to leave one waiting
 * for the next: so there is always a next block.
 */
const MINE_MS = 2_000
const QUIET_MS = 120_000
/** So many jobs are over in the middle of them. */
const MIDDLE = 10
/** Two windows of earnings, and a thaw. */
const HOLD_SECONDS = 1_300

/**
 * Everything that can become of a job and of a credit, at once: answers short and long, by workers
 * with and without a stake, timeouts, callers who leave, a worker that dies, disputes with every
 * verdict, and wallets that move their money on chain meanwhile. Ends when no lock is left.
 * @param inTheMiddle called once, when some jobs are over and most are to come
 */
export async function mixedLife(
  network: Network,
  mix: Mix,
  inTheMiddle: () => void = () => {},
): Promise<MixedLife> {
  await stakeFor(network, 0)
  const [callers, stranger] = [await makeCallers(network, mix.credits), await makeStranger(network)]
  await untilServed(network, MODEL, 2)
  const slow = await startSlowWorker(network)
  const began = performance.now()
  let over = false
  const direct = directCalls(callers.slice(1, 4), stranger, () => over)
  // It is waited for below; until then a failure must not end the process.
  direct.catch(() => {})
  try {
    const endings = await run(callers, mix, inTheMiddle)
    endings.push(...(await deaths(callers, slow)))
    const seconds = (performance.now() - began) / 1_000
    over = true
    const made = await direct
    await decide(network, endings)
    await until('no lock is left', () => noneLocked(network), QUIET_MS)
    await takeOut(network, callers, stranger)
    return { endings: count(endings), directCalls: made, seconds }
  } finally {
    over = true
    await slow.end()
  }
}

async function run(
  callers: readonly MixedCaller[],
  { jobs, concurrency }: Mix,
  inTheMiddle: () => void,
): Promise<Ending[]> {
  const endings: Ending[] = []
  let next = 0
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < jobs) {
        const index = next++
        endings.push(await oneJob(callerOf(callers, index), index))
        if (endings.length === MIDDLE) inTheMiddle()
      }
    }),
  )
  return endings
}

/** Every wallet gets jobs of every kind; the poor one, which is the last, only a few. */
function callerOf(callers: readonly MixedCaller[], index: number): MixedCaller {
  const rich = callers.length - 1
  // The kinds come round by the hundred, each time for the next wallet.
  return callers[index % 31 === 30 ? rich : (index * 7 + Math.floor(index / 100)) % rich]!
}

/** Answers of which the worker dies in the middle. */
async function deaths(callers: readonly MixedCaller[], slow: OwnWorker): Promise<Ending[]> {
  let begun = 0
  const asked = callers.slice(0, DEATHS).map(({ network }) =>
    ask(network, {
      stream: true,
      model: SLOW_MODEL,
      begun: () => {
        begun++
      },
    }),
  )
  await until('answers have begun', () => begun === DEATHS)
  await slow.end()
  return (await Promise.all(asked)).map((call) => ({ call, disputed: null }))
}

/** The arbiter says yes, no, or nothing. */
async function decide(network: Network, endings: readonly Ending[]): Promise<void> {
  const arbiter = makeEscrowCaller({
    rpcUrl: network.rpc_url,
    contracts: { jobEscrow: toAddress(network.contracts.job_escrow) },
    privateKey: `0x${network.arbiter.private_key.slice(2)}`,
  })
  const ids = endings.flatMap(({ call, disputed }) =>
    disputed === 'other' && call.type === 'whole' ? [toJobId(call.jobId)] : [],
  )
  const mining = setInterval(() => void elapseOnChain(network, 1).catch(() => {}), MINE_MS)
  try {
    for (const [i, jobId] of ids.entries()) {
      if (i % 3 !== 2) await decideOne(arbiter, jobId, i % 3 === 0)
    }
  } finally {
    clearInterval(mining)
  }
}

async function decideOne(
  arbiter: ReturnType<typeof makeEscrowCaller>,
  jobId: JobId,
  upheld: boolean,
): Promise<void> {
  let why: unknown
  const decided = () =>
    arbiter.resolveDispute(jobId, upheld).then(
      () => true,
      (error: unknown) => {
        why = error
        return false
      },
    )
  // The dispute may still be on its way to the chain.
  await until(`a verdict on ${jobId}`, decided, VERDICT_MS).catch((error: unknown) => {
    throw new Error(String(error), { cause: why })
  })
}

async function noneLocked(network: Network): Promise<boolean> {
  const jobs = await lockedJobs(network)
  return [...jobs.values()].every(({ end }) => end !== null)
}

/** Once everything is old enough: earnings are claimed, one withdrawal is completed, one thaws. */
async function takeOut(
  network: Network,
  [, one, other]: readonly MixedCaller[],
  { wallet: anyone }: Stranger,
): Promise<void> {
  await one!.wallet.requestWithdrawal(500n)
  await elapseOnChain(network, HOLD_SECONDS)
  await one!.wallet.completeWithdrawal()
  await other!.wallet.requestWithdrawal(70n)
  for (const workerId of [1, 2]) await unlessDone(() => anyone.claim(workerId))
  await unlessDone(() => anyone.claimTreasury())
}

async function startSlowWorker(network: Network): Promise<OwnWorker> {
  const worker = startWorker(network.pool_url, [SLOW_MODEL], {
    WORKER_SAMPLE_TOKENS: '600',
    WORKER_SAMPLE_TOKEN_MS: '400',
    WORKER_SLOTS: '64',
  })
  await untilServed(network, SLOW_MODEL, 1, SERVED_MS)
  return worker
}

function count(endings: readonly Ending[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { call, disputed } of endings) {
    const code = 'error' in call ? ` ${call.error.code}` : ''
    const what = `${call.type}${code}${disputed ? `, disputed (${disputed})` : ''}`
    counts[what] = (counts[what] ?? 0) + 1
  }
  return counts
}
