// This network beside its peers, each from its own packages, one after the other on the same upstream and
// machine: a proxy that does nothing, the Portkey gateway, and x402, which is paid a request. Absolute
// figures are this machine's; the ratios are what the targets are about, and the last table says which of
// them this run keeps. BENCH_JSON names a file for all of it. `npm run bench -- peers`
import { setTimeout as sleep } from 'node:timers/promises'
import { drive, type Load, percentile, type Run, type Target } from './drive.ts'
import { payByX402 } from './peers/paid.ts'
import {
  installPeers,
  MODEL,
  type Peer,
  startOurs,
  startPlainProxy,
  startPortkey,
} from './peers/peer.ts'
import { startMockUpstream } from './peers/processes.ts'
import { readStreams } from './peers/streams.ts'
import { type FirstToken, type Measured, type Paid, targets } from './peers/targets.ts'
import { saveFigures } from './plain-costs.ts'
import { perItem } from './resources.ts'

const PLAIN = { requests: 4_000, concurrency: 64, stream: false }
const FIRST_TOKEN = [
  { requests: 300, concurrency: 1 },
  { requests: 3_000, concurrency: 64 },
]
/** Live at once, each with a token every 10 ms. */
const STREAMS = [200, 1_000]
const TOKEN_MS = 10
const STREAM_TOKENS = 300
const PAID = { requests: 400, concurrency: 16 }
/** Settlements, views and the like come after the answers and are part of what they cost. */
const AFTERMATH_MS = 5_000
/** Without the chain, which every way of paying has, and the worker, which is another's. */
const SERVICE = new Set(['edge', 'actors', 'pool', 'nats', 'redis', 'gateway'])

installPeers()
const fast = await startMockUpstream()
const paced = await startMockUpstream({
  MOCK_TOKENS: String(STREAM_TOKENS),
  MOCK_TOKEN_MS: String(TOKEN_MS),
})
const results: Measured[] = []
try {
  const direct = await measureDirect(fast.url)
  for (const start of [startPlainProxy, startPortkey, startOurs]) results.push(await measure(start))
  const paid = await measurePaid()
  const [proxy, portkey, ours] = results as [Measured, Measured, Measured]
  const judged = targets({ direct, proxy, portkey, ours, paid, paidRequests: PAID.requests })
  print(direct, results, paid)
  console.log('What is asked of this network, in this run\n')
  console.table(Object.fromEntries(judged.map(({ what, ...figures }) => [what, figures])))
  saveFigures({ direct, results, paid, targets: judged })
} finally {
  fast.stop()
  paced.stop()
}

async function measureDirect(url: string): Promise<readonly Run[]> {
  const target: Target = { baseUrl: url, apiKey: 'none', model: MODEL }
  const runs: Run[] = []
  for (const load of FIRST_TOKEN) runs.push(await drive(target, load))
  return runs
}

async function measure(start: (upstreamUrl: string) => Promise<Peer>): Promise<Measured> {
  const peer = await start(fast.url)
  const requests = await measureRequests(peer).finally(() => peer.stop())
  const slow = await start(paced.url)
  const streams = await measureStreams(slow).finally(() => slow.stop())
  return { name: peer.name, ...requests, streams }
}

async function measureRequests(peer: Peer) {
  await drive(peer.target, { requests: 500, concurrency: 16, stream: false })
  await drive(peer.target, { requests: 300, concurrency: 16 })
  const firstToken: FirstToken[] = []
  for (const load of FIRST_TOKEN) firstToken.push(await measureFirstToken(peer, load))
  await sleep(AFTERMATH_MS)
  const settled = await peer.chain?.settled()
  const plain = await costs(peer, () => drive(peer.target, PLAIN), PLAIN.requests)
  const newlySettled = peer.chain && (await peer.chain.settled()) - (settled ?? 0)
  const answered = PLAIN.requests - plain.run.failed
  return { plain, unsettled: answered - (newlySettled ?? answered), firstToken }
}

async function measureStreams(peer: Peer): Promise<Measured['streams']> {
  await readStreams(peer.target, 20)
  const streams = []
  for (const count of STREAMS) {
    const { run, serviceMs } = await costs(peer, () => readStreams(peer.target, count), count)
    streams.push({ ...run, serviceMsPerStream: serviceMs })
  }
  return streams
}

/** With what a lock took meanwhile, from its transaction's sending to the receipt, on the mean. */
async function measureFirstToken({ target, chain }: Peer, load: Load): Promise<FirstToken> {
  const before = await chain?.locks()
  const run = await drive(target, load)
  const after = await chain?.locks()
  const chainMs = before && after ? (after.ms - before.ms) / (after.count - before.count) : 0
  return { ...run, chainMs }
}

/** @returns milliseconds of CPU for each of `count` requests */
async function costs<T>(peer: Peer, load: () => Promise<T>, count: number) {
  const before = peer.cpu()
  const run = await load()
  await sleep(AFTERMATH_MS)
  const cpuMs = perItem(before, peer.cpu(), count)
  const service = Object.entries(cpuMs).filter(([part]) => SERVICE.has(part))
  return { run, cpuMs, serviceMs: service.reduce((sum, [, ms]) => sum + ms, 0) }
}

async function measurePaid() {
  const ours = await startOurs(fast.url)
  try {
    return await payByX402(ours.network, fast.url, PAID)
  } finally {
    await ours.stop()
  }
}

function print(direct: readonly Run[], all: readonly Measured[], paid: Paid) {
  const ms = (value: number) => value.toFixed(2)
  const first = (run: Run) =>
    `${ms(percentile(run.firstTokenMs, 0.5))} / ${ms(percentile(run.firstTokenMs, 0.99))}`
  const [one, many] = direct
  console.log(`\nDirect: first token at 1 ${first(one!)}, at 64 ${first(many!)} ms (p50 / p99)\n`)
  console.table(
    Object.fromEntries(
      all.map(({ name, plain, firstToken, streams }) => [
        name,
        {
          'plain, requests/s at 64': Math.round(plain.run.requests / plain.run.seconds),
          failed: plain.run.failed,
          'CPU ms a plain request': ms(plain.serviceMs),
          'first token at 1': first(firstToken[0]!),
          'first token at 64': first(firstToken[1]!),
          ...Object.fromEntries(
            streams.flatMap(
              ({ streams: count, failed, tokensPerSecond, gapMs, serviceMsPerStream }) => [
                [`${count} streams, tokens/s`, Math.round(tokensPerSecond)],
                [`${count} streams, gap p50 / p99`, `${ms(gapMs.p50)} / ${ms(gapMs.p99)}`],
                [`${count} streams, CPU ms each`, ms(serviceMsPerStream)],
                [`${count} streams, failed`, failed],
              ],
            ),
          ),
        },
      ]),
    ),
  )
  console.log('CPU milliseconds a plain request, by part\n')
  console.table(
    Object.fromEntries(
      all.map(({ name, plain }) => [
        name,
        Object.fromEntries(Object.entries(plain.cpuMs).map(([part, each]) => [part, ms(each)])),
      ]),
    ),
  )
  const { failed, seconds, cpuMs } = paid
  const count = PAID.requests - failed
  console.log(
    `x402: ${(count / seconds).toFixed(1)} paid requests/s, ${failed} failed, ` +
      `${ms(cpuMs / Math.max(1, count))} ms of CPU each, chain included\n`,
  )
}
