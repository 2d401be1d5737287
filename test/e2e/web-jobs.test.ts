import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { JobLife, JobsPage, NetworkState, WebDispute, WebModels } from '../../src/web/api.ts'
import type {
  CreatedWebhook,
  DeliveriesPage,
  Replayed,
  TestSent,
  WebWebhook,
} from '../../src/web/webhook-api.ts'
import type { WebStandings } from '../../src/web/workers-api.ts'
import { codeOf, Visitor } from '../fakes/web/visitor.ts'
import { type Receiver, startReceiver } from '../fakes/webhooks/receiver.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { workerKey } from '../network/worker-keys.ts'
import { until } from '../until.ts'
import { balanceBecomes, type Customer, chat, jobSettles, newCustomer } from './customer.ts'
import { giveGas, onChain } from './mixed/callers.ts'

/** Jobs, webhooks and the network as the web app shows them, against the real ones. */
const WebJobs = suite('web jobs')

const MODEL = 'Qwen/Qwen3-8B'
const ask = { model: MODEL, messages: [{ role: 'user', content: 'Hello?' }], max_tokens: 20 }
const WAIT_MS = 60_000
const CREDITS = 1_000
const TX = /^0x[0-9a-f]{64}$/

let receiver: Receiver
let network: Network
let customer: Customer
let visitor: Visitor
let stranger: Visitor

WebJobs.before(async () => {
  receiver = await startReceiver()
  network = await startNetwork({ env: { WEBHOOK_RETRY_SECONDS: '0,1,1' } })
  customer = await newCustomer(network)
  await giveGas(network, [customer.wallet])
  await buy(CREDITS)
  await balanceBecomes(customer, CREDITS)
  visitor = await signedIn(customer.privateKey)
  stranger = await signedIn(generatePrivateKey())
})
WebJobs.after(async () => {
  await network?.stop()
  await receiver?.close()
})

async function signedIn(privateKey: Hex): Promise<Visitor> {
  const visitor = new Visitor({ origin: network.web_url })
  const answer = await visitor.signIn(privateKeyToAccount(privateKey), network.chain_id)
  if (answer.status !== 200) throw new Error(`not signed in: ${answer.text}`)
  return visitor
}

const buy = (credits: number) => onChain(network, customer.privateKey).deposit(BigInt(credits))
const lifeOf = (id: string) => visitor.json<JobLife>(`/api/jobs/${id}`)
const eventsOf = ({ timeline }: JobLife) => timeline.map(({ event }) => event)

async function oneJob(): Promise<string> {
  const answer = await chat(customer, ask)
  assert.is(answer.status, 200, answer.text)
  const id = String(answer.headers['x-svc-job-id'])
  await jobSettles(customer, id)
  return id
}

WebJobs('a job is listed, and its life told with transactions, blocks and times', async () => {
  const id = await oneJob()
  const { data } = await visitor.json<JobsPage>(`/api/jobs?limit=1&model=${MODEL}`)
  assert.is(data[0]?.id, id)
  const life = await lifeOf(id)
  assert.is(life.job.status, 'settled')
  assert.equal(eventsOf(life), ['created', 'locked', 'answered', 'settled'])
  assert.ok(life.timeline.every(({ at }) => Date.parse(at ?? '') > 0))
  const [, locked, , settled] = life.timeline
  assert.is(locked!.tx, life.job.on_chain.escrow_tx)
  assert.is(settled!.tx, life.job.on_chain.settlement_tx)
  assert.is(settled!.block_number, life.job.on_chain.block_number)
  assert.ok(locked!.block_number! <= settled!.block_number!)

  assert.equal((await stranger.json<JobsPage>('/api/jobs')).data, [])
  const foreign = await stranger.send(`/api/jobs/${id}`)
  assert.is(foreign.status, 404)
  assert.is(codeOf(foreign), 'job_not_found')
})

WebJobs('a dispute is opened while it can be, by the job’s own wallet, once', async () => {
  const id = await oneJob()
  const path = `/api/jobs/${id}/dispute`
  const body = { received_output_hash: `sha256:${'0'.repeat(64)}` }
  assert.is((await stranger.send(path, { method: 'POST', body })).status, 404)
  const opened = await visitor.post<WebDispute>(path, body)
  assert.is(opened.dispute_opened, true)
  assert.match(opened.dispute_tx ?? '', TX)
  const life = await until(
    'the dispute is in a block',
    async () => {
      const life = await lifeOf(id)
      return life.timeline.at(-1)?.block_number ? life : undefined
    },
    WAIT_MS,
  )
  assert.equal(eventsOf(life), ['created', 'locked', 'answered', 'settled', 'disputed'])
  assert.is(life.timeline.at(-1)!.tx, opened.dispute_tx)
  assert.is(life.disputable_until, null)
  const again = await visitor.send(path, { method: 'POST', body })
  assert.is(codeOf(again), 'dispute_already_open')
})

WebJobs('a webhook: made with a secret, failing, put right, enabled, replayed', async () => {
  receiver.behave('hook', 500)
  const wish = { url: receiver.url('hook'), events: ['credit.topup'] }
  const { id, secret } = await visitor.post<CreatedWebhook>('/api/webhooks', wish)
  assert.match(secret ?? '', /^[0-9a-f]{64}$/)
  const path = `/api/webhooks/${id}`
  const deliveries = (query = '') => visitor.json<DeliveriesPage>(`${path}/deliveries${query}`)
  const statusOf = async () =>
    (await visitor.json<{ data: WebWebhook[] }>('/api/webhooks')).data[0]?.status
  await buy(100)
  const failed = await until(
    'the failed event is told',
    async () => (await deliveries('?failed_only=true')).data[0],
    WAIT_MS,
  )
  assert.equal([failed.event, failed.status], ['credit.topup', 'failed'])
  assert.equal(
    failed.attempts.map(({ attempt, status, answer_start }) => [attempt, status, answer_start]),
    [1, 2, 3].map((attempt) => [attempt, 500, 'heard']),
  )
  assert.is(JSON.parse(failed.body).id, failed.event_id)
  await until('the webhook has failed', async () => (await statusOf()) === 'failed', WAIT_MS)

  receiver.behave('hook', 200)
  assert.is((await visitor.post<WebWebhook>(`${path}/enable`)).status, 'active')
  const { event_id, position } = failed
  const replayed = await visitor.post<Replayed>(`${path}/replay`, {
    ...{ type: 'one', event_id, position },
  })
  assert.equal(replayed, { events: 1, next_cursor: null })
  await until(
    'the replayed event is delivered',
    async () => (await deliveries()).data.find(({ status }) => status === 'delivered'),
    WAIT_MS,
  )
  const page = await deliveries('?limit=1')
  assert.is(page.has_more, true)
  const older = await deliveries(`?limit=1&cursor=${page.next_cursor}`)
  assert.is(older.data[0]?.position, position)

  const test = await visitor.post<TestSent>(`${path}/test`, { event: 'credit.low' })
  await until(
    'the test event is told',
    async () => (await deliveries()).data.find((each) => each.event_id === test.event_id),
    WAIT_MS,
  )

  for (const [method, each, body] of [
    ['GET', '/deliveries', undefined],
    ['POST', '/test', { event: 'credit.low' }],
    ['POST', '/replay', { type: 'failed' }],
    ['POST', '/enable', undefined],
    ['DELETE', '', undefined],
  ] as const) {
    const foreign = await stranger.send(path + each, { method, body })
    assert.is(foreign.status, 404, `${method} ${each}`)
    assert.is(codeOf(foreign), 'webhook_not_found')
  }
  const unknown = { type: 'one', event_id: `evt_${'0'.repeat(24)}` }
  const lost = await visitor.send(`${path}/replay`, { method: 'POST', body: unknown })
  assert.is(lost.status, 404, lost.text)
  assert.is(codeOf(lost), 'delivery_not_found')
  assert.is((await visitor.send(path, { method: 'DELETE' })).status, 204)
  assert.equal(await visitor.json<{ data: WebWebhook[] }>('/api/webhooks'), { data: [] })
})

WebJobs('the network: models, who serves, and that every credit is covered', async () => {
  const anybody = new Visitor({ origin: network.web_url })
  const id = await oneJob()
  const { data } = await anybody.json<WebModels>('/api/models')
  const model = data.find((each) => each.id === MODEL)
  assert.ok(model && model.svc.active_workers > 0)
  const state = await until(
    'a solvency that counts the job is told',
    async () => {
      const state = await anybody.json<NetworkState>('/api/network')
      return state.solvency && state.solvency.earnings_usdg > 0 ? state : undefined
    },
    WAIT_MS,
  )
  assert.is(state.solvency!.surplus_usdg, 0)
  assert.ok(state.solvency!.accounts_credits > 0)
  assert.ok(state.workers >= model.svc.active_workers)
  assert.is(state.pools, 1)

  const address = (await lifeOf(id)).job.worker_address!
  const operator = await signedIn(workerKey(network, address))
  const path = `/api/workers/${address}/standing`
  const { data: standings, ...counts } = await operator.json<WebStandings>(path)
  assert.equal(counts, { pools_asked: 1, pools_silent: 0 })
  const [standing] = standings
  assert.ok(standing!.jobs.finished > 0)
  const about = standing!.models.find((each) => each.id === model.id)
  assert.ok(about!.rank > 0 && about!.first_token_ms !== null)
  assert.is(codeOf(await visitor.send(path)), 'not_your_worker')
})

WebJobs.run()
