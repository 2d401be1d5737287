import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { startNetwork } from '../../network/network.ts'

const MODEL = 'Qwen/Qwen3-8B'
const WORKERS = 10
const OPEN = 30
/** The first kill, and how far the next ones are apart. */
const KILL_MS = 6_000
const KILLS = 3

interface Tally {
  jobs: number
  failed: number
  begun: number
}

/** A whole network under load: one of ten workers is killed, again and again, and callers count. */
export async function lostWorker() {
  const network = await startNetwork({
    flags: ['--workers', `${WORKERS}`],
    env: {
      ...{ WORKER_MODELS: MODEL, WORKER_SLOTS: '4', LOG_LEVEL: 'error' },
      // Two seconds an answer.
      ...{ WORKER_SAMPLE_TOKENS: '100', WORKER_SAMPLE_TOKEN_MS: '20' },
    },
  })
  const agent = new Agent({ connections: OPEN })
  const tally: Tally = { jobs: 0, failed: 0, begun: 0 }
  try {
    const until = performance.now() + KILL_MS * (KILLS + 1)
    const one = async () => {
      const told = await ask({ ...network, agent })
      tally.jobs++
      if (told.isWhole) return
      tally.failed++
      if (told.hasText) tally.begun++
    }
    const lanes = Array.from({ length: OPEN }, async () => {
      while (performance.now() < until) await one()
    })
    for (let n = 0; n < KILLS; n++) {
      await sleep(KILL_MS)
      network.kill('worker', 'SIGKILL', n * 3)
    }
    await Promise.all(lanes)
    return {
      [`${KILLS} kills`]: {
        'jobs in all': tally.jobs,
        failed: tally.failed,
        'failed after their first word': tally.begun,
        'failed before it': tally.failed - tally.begun,
      },
    }
  } finally {
    await agent.close()
    await network.stop()
  }
}

interface Caller {
  readonly base_url: string
  readonly api_key: string
  readonly agent: Agent
}

async function ask({ base_url, api_key, agent }: Caller) {
  const response = await request(`${base_url}/chat/completions`, {
    method: 'POST',
    dispatcher: agent,
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ model: MODEL, stream: true, max_tokens: 200 },
      messages: [{ role: 'user', content: 'Say a hundred words.' }],
    }),
  })
  let text = ''
  for await (const data of response.body) text += String(data)
  return {
    isWhole: response.statusCode === 200 && text.includes('data: [DONE]'),
    hasText: response.statusCode === 200 && text.includes('"content"'),
  }
}
