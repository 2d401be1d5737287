import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { chat, firstCustomer, jobSettles } from './customer.ts'

/** What an operator's tools see of a network, and whether it is true. */
const Metrics = suite('metrics')
const PATIENCE_MS = 30_000
const MODEL = 'Qwen/Qwen3-8B'
const PROMPT = 'Say cucumber.'

let network: Network

Metrics.before(async () => {
  network = await startNetwork()
})
Metrics.after(() => network?.stop())

const servers = ['edge', 'actors', 'pool', 'web'] as const
const monitored = [...servers, 'worker'] as const
type Monitored = (typeof monitored)[number]

async function get(role: Monitored, path: string) {
  const url = network.read().processes.find((process) => process.role === role)?.monitor_url
  const response = await fetch(`${url}${path}`)
  return { status: response.status, text: await response.text() }
}

/** The value of one series, undefined where there is none. */
async function figure(role: Monitored, series: string) {
  const { text } = await get(role, '/metrics')
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

const becomes = (role: Monitored, series: string, value: number) =>
  until(
    `${role}: ${series} ${value}`,
    async () => (await figure(role, series)) === value,
    PATIENCE_MS,
  )

Metrics(
  'one answered and one refused request are counted by every role that had to do with them',
  async () => {
    const customer = firstCustomer(network)
    const body = { model: MODEL, messages: [{ role: 'user', content: PROMPT }] }
    const answer = await chat(customer, body)
    assert.is(answer.status, 200)
    await jobSettles(customer, String(answer.headers['x-svc-job-id']))
    assert.is((await chat(customer, { ...body, model: 'nobody/has-this' })).status, 400)

    const route = 'route="/v1/chat/completions",method="POST"'
    await becomes('edge', `svc_http_answers_total{${route},status="200"}`, 1)
    await becomes('edge', 'svc_http_refusals_total{code="model_not_found"}', 1)
    await becomes('edge', `svc_answer_ends_total{model="${MODEL}",end="completed"}`, 1)
    await becomes('edge', `svc_answer_first_text_seconds_count{model="${MODEL}"}`, 1)
    await becomes('edge', 'svc_answers_open', 0)
    await becomes('edge', 'svc_lock_wait_max_seconds', 10)
    await becomes('actors', `svc_jobs_total{model="${MODEL}",status="settled",reason=""}`, 1)
    for (const stage of ['lock', 'route', 'answer', 'settle']) {
      await becomes('actors', `svc_job_stage_seconds_count{stage="${stage}"}`, 1)
    }
    await becomes('actors', 'svc_jobs_live', 0)
    await becomes('actors', 'svc_lane_items_total{lane="lock",kind="lock"}', 1)
    await becomes('actors', 'svc_lane_items_total{lane="settle",kind="settle"}', 1)
    await becomes('actors', 'svc_resources_held{kind="job"}', 64)
    await becomes('pool', `svc_pool_attempts_total{model="${MODEL}",end="completed"}`, 1)
    await becomes('pool', 'svc_pool_workers', 2)
  },
)

Metrics('no figure says who asked, or what', async () => {
  const texts = await Promise.all(monitored.map((role) => get(role, '/metrics')))
  for (const { text } of texts) {
    assert.not.match(text, /0x[0-9a-f]{8}|job_[0-9a-z]{20}|cucumber|svc_live_/i)
  }
})

Metrics('who pays for gas shows what is left', async () => {
  const payers = { locker: 'actors', settler: 'actors', keeper: 'actors', relayer: 'web' } as const
  for (const [key, role] of Object.entries(payers)) {
    const left = await figure(role, `svc_key_coin{key="${key}"}`)
    assert.ok(left !== undefined && left > 0 && left < 1e6, `${key}: ${left}`)
  }
})

const ready = (role: Monitored, status: number) =>
  until(
    `${role}: /readyz ${status}`,
    async () => (await get(role, '/readyz')).status === status,
    PATIENCE_MS,
  )

Metrics('readiness follows what a role needs, health does not', async () => {
  for (const role of servers) await ready(role, 200)
  const redis = network.kill('redis', 'SIGSTOP')
  try {
    for (const role of servers) {
      await ready(role, 503)
      assert.match((await get(role, '/readyz')).text, /Redis/)
      await becomes(role, 'svc_ready', 0)
      assert.is((await get(role, '/healthz')).status, 200)
    }
  } finally {
    process.kill(redis, 'SIGCONT')
  }
  for (const role of servers) {
    await ready(role, 200)
    await becomes(role, 'svc_ready', 1)
  }
})

Metrics('a worker is ready while a pool gives it jobs', async () => {
  await ready('worker', 200)
  const pool = network.kill('pool', 'SIGSTOP')
  try {
    await ready('worker', 503)
    assert.match((await get('worker', '/readyz')).text, /a pool/)
    await becomes('worker', 'svc_ready', 0)
    assert.is((await get('worker', '/healthz')).status, 200)
  } finally {
    process.kill(pool, 'SIGCONT')
  }
  await ready('worker', 200)
  await becomes('worker', 'svc_ready', 1)
})

Metrics.run()
