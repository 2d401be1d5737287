// What one job costs on its whole way: a network with one worker on a local mock upstream, driven at
// several concurrencies, beside the same load straight at the upstream.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Network, startNetwork } from '../network/network.ts'
import { drive, percentile, type Run, type Target } from './drive.ts'
import { startMockUpstream } from './peers/processes.ts'
import { saveFigures } from './plain-costs.ts'
import {
  blockNumber,
  chainUse,
  cpuMsByRole,
  natsMessages,
  natsTraffic,
  perItem,
} from './resources.ts'
import { richCustomer } from './rich-customer.ts'

const MODEL = 'Qwen/Qwen3-8B'
const LOADS = [
  { concurrency: 1, requests: 300 },
  { concurrency: 16, requests: 2_000 },
  { concurrency: 64, requests: 4_000 },
  { concurrency: 256, requests: 4_000 },
]

interface Measured {
  readonly concurrency: number
  readonly direct: Run
  readonly network: Run
  readonly cpuMsPerJob: Readonly<Record<string, number>>
  readonly natsMessagesPerJob: number
  /** Said and heard by each role. */
  readonly trafficPerJob: Readonly<Record<'messages' | 'bytes', Readonly<Record<string, number>>>>
  readonly lockGasPerJob: number
  readonly settleGasPerJob: number
  readonly jobsPerTransaction: number
  readonly unsettled: number
}

const upstream = await startMockUpstream()
try {
  const network = await startNetwork({
    flags: ['--workers', '1', '--upstream', upstream.url],
    env: { WORKER_SLOTS: '256', LOG_LEVEL: 'warn', EDGE_BURST: '0' },
  })
  try {
    const { apiKey } = await richCustomer(network)
    const results: Measured[] = []
    const direct: Target = { baseUrl: upstream.url, apiKey: 'none', model: MODEL }
    const through: Target = { baseUrl: network.base_url, apiKey, model: MODEL }
    // Compilers warm up, connections open, first storage slots are written.
    // Not more than that: a local node takes longer for each block as its state grows.
    await drive(direct, { requests: 300, concurrency: 8 })
    await drive(through, { requests: 300, concurrency: 8 })
    for (const load of LOADS) {
      await sleep(2_000)
      results.push(await measure(network, direct, through, load))
    }
    print(results)
    saveFigures(results)
  } finally {
    await network.stop()
  }
} finally {
  upstream.stop()
}

async function measure(
  network: Network,
  direct: Target,
  through: Target,
  load: { concurrency: number; requests: number },
): Promise<Measured> {
  const { concurrency, requests } = load
  const directRun = await drive(direct, load)
  const block = await blockNumber(network)
  const [cpu, messages] = [cpuMsByRole(network), await natsMessages(network)]
  const traffic = await natsTraffic(network)
  const run = await drive(through, load)
  // Settlements of the last answers are part of the cost; so is five seconds of idling, which is
  // little.
  await sleep(5_000)
  const use = await chainUse(network, block)
  const trafficAfter = await natsTraffic(network)
  return {
    concurrency,
    direct: directRun,
    network: run,
    cpuMsPerJob: perItem(cpu, cpuMsByRole(network), requests),
    trafficPerJob: {
      messages: perItem(traffic.messages, trafficAfter.messages, requests),
      bytes: perItem(traffic.bytes, trafficAfter.bytes, requests),
    },
    natsMessagesPerJob: ((await natsMessages(network)) - messages) / requests,
    lockGasPerJob: Number(use.lockGas) / use.locked,
    settleGasPerJob: Number(use.settleGas) / use.settled,
    jobsPerTransaction: (use.locked + use.settled) / use.transactions,
    unsettled: requests - use.settled,
  }
}

function print(results: readonly Measured[]): void {
  const ms = (value: number) => value.toFixed(1)
  const both = (times: readonly number[]) =>
    `${ms(percentile(times, 0.5))} / ${ms(percentile(times, 0.99))}`
  table('Streams of 100 tokens; times in milliseconds, p50 / p99', results, (each) => ({
    'requests/s': Math.round(each.network.requests / each.network.seconds),
    'direct/s': Math.round(each.direct.requests / each.direct.seconds),
    failed: each.network.failed,
    'first token': both(each.network.firstTokenMs),
    'direct first': both(each.direct.firstTokenMs),
    'whole answer': both(each.network.wholeMs),
    'NATS messages': each.natsMessagesPerJob.toFixed(1),
    'lock gas': Math.round(each.lockGasPerJob),
    'settle gas': Math.round(each.settleGasPerJob),
    'jobs/transaction': each.jobsPerTransaction.toFixed(1),
    'unsettled after 5 s': each.unsettled,
  }))
  table('CPU milliseconds a job, by role', results, ({ cpuMsPerJob }) =>
    byRole(cpuMsPerJob, (cpuMs) => cpuMs.toFixed(2)),
  )
  table(
    'Over NATS for a job, said and heard: messages / bytes, by role',
    results,
    ({ trafficPerJob: { messages, bytes } }) =>
      byRole(messages, (count, role) => `${count.toFixed(1)} / ${Math.round(bytes[role] ?? 0)}`),
  )
}

/** One row for each load. */
function table(title: string, results: readonly Measured[], row: (each: Measured) => object): void {
  console.log(`\n${title}\n`)
  console.table(Object.fromEntries(results.map((each) => [`at ${each.concurrency}`, row(each)])))
}

function byRole(
  figures: Readonly<Record<string, number>>,
  show: (figure: number, role: string) => string,
) {
  return Object.fromEntries(Object.entries(figures).map(([role, n]) => [role, show(n, role)]))
}
