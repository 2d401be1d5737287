// What an open stream costs an edge in memory: one edge, thousands of answers that are being written
// at the same time, slowly, to readers that read. `STREAMS` sets how many.
import { writeFileSync } from 'node:fs'
import { type ClientRequest, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Network, startNetwork } from '../network/network.ts'
import { drive } from './drive.ts'
import { residentBytes } from './resources.ts'

const MODEL = 'Qwen/Qwen3-8B'
const STREAMS = Number(process.env.STREAMS ?? 2_000)
/** An answer outlasts the opening of all streams and the look at them. */
const TOKEN_MS = 200
const TOKENS = 600
const OPEN_AT_ONCE = 50
const LOOK_MS = 15_000
const LOOKS = 30
const MEBIBYTE = 1024 * 1024

interface Opened {
  readonly outgoing: ClientRequest
  bytes: number
  ended: boolean
}

const network = await startNetwork({
  flags: ['--workers', '1'],
  env: {
    WORKER_MODELS: MODEL,
    WORKER_SLOTS: String(STREAMS + 100),
    WORKER_SAMPLE_TOKENS: String(TOKENS),
    WORKER_SAMPLE_TOKEN_MS: String(TOKEN_MS),
    LOG_LEVEL: 'warn',
  },
})
try {
  // Compilers warm up on requests that end at once, so that only streams come on top.
  const target = { baseUrl: network.base_url, apiKey: network.api_key, model: MODEL }
  await drive(target, { requests: 300, concurrency: 30, maxTokens: 1 })
  await sleep(5_000)
  const before = await watch(network)
  const opened = await openAll(network)
  const during = await watch(network)
  const living = opened.filter(({ ended, bytes }) => !ended && bytes > 0).length
  for (const { outgoing } of opened) outgoing.destroy()
  await sleep(15_000)
  const after = await watch(network)
  const perStream = (during - before) / living
  const measured = { streams: living, before, during, after, perStream }
  console.table({
    'streams mid-answer': living,
    'edge before, MiB': mebibytes(before),
    'edge with the streams, MiB': mebibytes(during),
    'edge after they left, MiB': mebibytes(after),
    'a stream, KiB': (perStream / 1024).toFixed(1),
  })
  if (living < STREAMS) throw new Error(`only ${living} of ${STREAMS} streams were open`)
  if (process.env.BENCH_JSON) {
    writeFileSync(process.env.BENCH_JSON, `${JSON.stringify(measured, null, 2)}\n`)
  }
} finally {
  await network.stop()
}

/** The median of what the edge holds over some time, bytes: its heap breathes. */
async function watch(network: Network): Promise<number> {
  const [pid = 0] = network.pids('edge')
  const looks: number[] = []
  for (let i = 0; i < LOOKS; i++) {
    looks.push(residentBytes(pid))
    await sleep(LOOK_MS / LOOKS)
  }
  return looks.sort((a, b) => a - b)[LOOKS / 2] ?? Number.NaN
}

async function openAll(network: Network): Promise<readonly Opened[]> {
  const opened: Opened[] = []
  let left = STREAMS
  await Promise.all(
    Array.from({ length: OPEN_AT_ONCE }, async () => {
      while (left-- > 0) opened.push(await open(network))
    }),
  )
  return opened
}

/** Resolves with the first bytes of the answer; the rest is read and thrown away. */
function open(network: Network): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${network.base_url}/chat/completions`,
      {
        method: 'POST',
        agent: false,
        headers: {
          authorization: `Bearer ${network.api_key}`,
          'content-type': 'application/json',
        },
      },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`))
        response.on('error', () => {}) // cut off at the end, by us
        response.on('data', (data: Buffer) => {
          stream.bytes += data.length
          resolve(stream)
        })
        response.on('end', () => {
          stream.ended = true
        })
      },
    )
    const stream: Opened = { outgoing, bytes: 0, ended: false }
    outgoing.on('error', reject)
    outgoing.end(
      JSON.stringify({
        model: MODEL,
        stream: true,
        max_tokens: TOKENS,
        messages: [{ role: 'user', content: 'Say a lot, slowly.' }],
      }),
    )
  })
}

function mebibytes(bytes: number): string {
  return (bytes / MEBIBYTE).toFixed(1)
}
