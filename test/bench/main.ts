// What one job costs on its whole way: a network with one worker on a local mock upstream, driven at
// several concurrencies, beside the same load straight at the upstream.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Network, startNetwork } from '../network/network.ts'
import { drive, percentile, type Run, type Target } from './drive.ts'
import { startTelling } from './peers/processes.ts'
import {
  blockNumber,
  chainUse,
  cpuMsByRole,
  natsMessages,
  natsTraffic,
  type Traffic,
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
  readonly trafficPerJob: Readonly<Record<string, Traffic>>
  readonly lockGasPerJob: number
  readonly settleGasPerJob: number
  readonly jobsPerTransaction: number
  readonly unsettled: number
}

const mock = join(import.meta.dirname, 'mock-upstream.ts')
const upstream = await startTelling(['--import', 'tsx', mock], {})
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
    printTraffic(results)
    save(results)
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
  const directRun = await drive(direct, load)
  const block = await blockNumber(network)
  const [cpu, messages] = [cpuMsByRole(network), await natsMessages(network)]
  const traffic = await natsTraffic(network)
  const run = await drive(through, load)
  // Settlements of the last answers are part of the cost; so is five seconds of idling, which is
  // little.
  await sleep(5_000)
  const use = await chainUse(network, block)
  const cpuMsPerJob = Object.fromEntries(
    [...cpuMsByRole(network)].map(([role, ms]) => [
      role,
      (ms - (cpu.get(role) ?? 0)) / load.requests,
    ]),
  )
  const trafficPerJob = Object.fromEntries(
    [...(await natsTraffic(network))].map(([role, now]) => {
      const before = traffic.get(role) ?? { messages: 0, bytes: 0 }
      return [
        role,
        {
          messages: (now.messages - before.messages) / load.requests,
          bytes: (now.bytes - before.bytes) / load.requests,
        },
      ]
    }),
  )
  return {
    concurrency: load.concurrency,
    direct: directRun,
    network: run,
    cpuMsPerJob,
    trafficPerJob,
    natsMessagesPerJob: ((await natsMessages(network)) - messages) / load.requests,
    lockGasPerJob: Number(use.lockGas) / use.locked,
    settleGasPerJob: Number(use.settleGas) / use.settled,
    jobsPerTransaction: (use.locked + use.settled) / use.transactions,
    unsettled: load.requests - use.settled,
  }
}

function print(results: readonly Measured[]): void {
  const ms = (value: number) => value.toFixed(1)
  console.log('\nStreams of 100 tokens; times in milliseconds, p50 / p99\n')
  console.table(
    Object.fromEntries(
      results.map(({ concurrency, direct, network, ...rest }) => [
        `at ${concurrency}`,
        {
          'requests/s': Math.round(network.requests / network.seconds),
          'direct/s': Math.round(direct.requests / direct.seconds),
          failed: network.failed,
          'first token': `${ms(percentile(network.firstTokenMs, 0.5))} / ${ms(percentile(network.firstTokenMs, 0.99))}`,
          'direct first': `${ms(percentile(direct.firstTokenMs, 0.5))} / ${ms(percentile(direct.firstTokenMs, 0.99))}`,
          'whole answer': `${ms(percentile(network.wholeMs, 0.5))} / ${ms(percentile(network.wholeMs, 0.99))}`,
          'NATS messages': rest.natsMessagesPerJob.toFixed(1),
          'lock gas': Math.round(rest.lockGasPerJob),
          'settle gas': Math.round(rest.settleGasPerJob),
          'jobs/transaction': rest.jobsPerTransaction.toFixed(1),
          'unsettled after 5 s': rest.unsettled,
        },
      ]),
    ),
  )
  console.log('CPU milliseconds a job, by role\n')
  console.table(
    Object.fromEntries(
      results.map(({ concurrency, cpuMsPerJob }) => [
        `at ${concurrency}`,
        Object.fromEntries(
          Object.entries(cpuMsPerJob).map(([role, each]) => [role, each.toFixed(2)]),
        ),
      ]),
    ),
  )
}

function printTraffic(results: readonly Measured[]): void {
  console.log('Over NATS for a job, said and heard: messages / bytes, by role\n')
  console.table(
    Object.fromEntries(
      results.map(({ concurrency, trafficPerJob }) => [
        `at ${concurrency}`,
        Object.fromEntries(
          Object.entries(trafficPerJob).map(([role, { messages, bytes }]) => [
            role,
            `${messages.toFixed(1)} / ${Math.round(bytes)}`,
          ]),
        ),
      ]),
    ),
  )
}

/** For machines: the same figures as JSON, where BENCH_JSON names a file. */
function save(results: readonly Measured[]): void {
  const file = process.env.BENCH_JSON
  if (file) writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
}
