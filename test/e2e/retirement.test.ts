import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readContracts } from '../../src/chain/contracts-file.ts'
import { makeRpc, type Rpc } from '../../src/chain/rpc/json-rpc.ts'
import { layOutPorts } from '../../src/network/ports.ts'
import { poolUrl } from '../../src/network/processes/roles.ts'
import { RegistryVoter } from '../fakes/chain/registry-voter.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { bodyOf, type Customer, chat, firstCustomer, jobSettles, send } from './customer.ts'
import { type OwnWorker, startWorker } from './own-worker.ts'
import type { Completion, Job } from './public-shapes.ts'
import { streamed } from './streamed.ts'

/** A model's whole life, as governance decides it on chain: listed, retiring, retired. */
const Life = suite('a model comes and goes by vote')

const MODEL = {
  id: 'new/model',
  publisher: 'new',
  parameters: '20B',
  contextWindow: 65_536,
  tier: 'pro',
} as const
const OTHER = 'Qwen/Qwen3-8B'
const NOTICE_SECONDS = 6
/** The machine may be busy; how soon a vote is heard really is a matter of a second. */
const HEARD_MS = 60_000

let network: Network
let customer: Customer
let rpc: Rpc
let voter: RegistryVoter
let worker: OwnWorker

Life.before(async () => {
  network = await startNetwork({ flags: ['--workers', '1'] })
  customer = firstCustomer(network)
  rpc = makeRpc(network.rpc_url)
  voter = new RegistryVoter(rpc, await readContracts(join(network.dataDir, 'contracts.json')))
})
Life.after(async () => {
  await worker?.end()
  await rpc?.close()
  await network?.stop()
})

interface Listed {
  readonly id: string
  readonly created: number
  readonly svc: { readonly tier: string; readonly retires_at?: string }
}

const listed = async (): Promise<readonly Listed[]> =>
  bodyOf<{ data: Listed[] }>(await send(customer, '/models')).data
const find = async () => (await listed()).find(({ id }) => id === MODEL.id)
const ask = (model: string, more: object = {}) =>
  chat(customer, { model, messages: [{ role: 'user', content: 'Hi' }], ...more })
const errorOf = (answer: { text: string }) => JSON.parse(answer.text).error
const jobsOf = async (model: string): Promise<readonly string[]> => {
  const list: { data: Job[] } = bodyOf(await send(customer, `/jobs?model=${model}`))
  return list.data.map(({ id }) => id)
}

const jobs: string[] = []

Life('before it is listed it is not found, whoever offers it', async () => {
  const counts = { edges: 1, actors: 1, pools: 1, workers: 1 }
  const [pool] = layOutPorts(network.portBase, counts).pools.map(poolUrl)
  // A hundred tokens take 40 seconds, so that they outlast a short notice.
  const pace = { WORKER_SAMPLE_TOKENS: '200', WORKER_SAMPLE_TOKEN_MS: '400' }
  worker = startWorker(pool!, [MODEL.id], pace)
  const answer = await ask(MODEL.id)
  assert.equal([answer.status, errorOf(answer).code], [400, 'model_not_found'])
  const filtered = await send(customer, `/jobs?model=${MODEL.id}`)
  assert.equal([filtered.status, errorOf(filtered).param], [400, 'model'])
})

Life('listed, it is served by who offered it, without a restart of anything', async () => {
  await voter.list(MODEL)
  const model = await until('the model to be listed', find, HEARD_MS)
  assert.is(model.svc.tier, MODEL.tier)
  assert.ok(Math.abs(model.created - Date.now() / 1_000) < 600, `${model.created}`)
  assert.not('retires_at' in model.svc)
  const answer = await ask(MODEL.id, { max_tokens: 5 })
  const completion: Completion = bodyOf(answer)
  assert.is(completion.model, MODEL.id)
  jobs.unshift(String(answer.headers['x-svc-job-id']))
  await jobSettles(customer, jobs[0]!)
})

Life('retiring, it works as before, and a vote can change its mind', async () => {
  await voter.retire(MODEL.id)
  const { svc } = await until('the announcement', async () => {
    const found = await find()
    return found?.svc.retires_at !== undefined && found
  })
  const days = (Date.parse(svc.retires_at!) - Date.now()) / 86_400_000
  assert.ok(days > 29.9 && days < 30.1, svc.retires_at)
  const answer = await ask(MODEL.id, { max_tokens: 5 })
  assert.is(answer.status, 200, answer.text)
  jobs.unshift(String(answer.headers['x-svc-job-id']))
  await voter.cancelRetirement(MODEL.id)
  await until('the announcement to go', async () => {
    const found = await find()
    return found !== undefined && !('retires_at' in found.svc)
  })
})

Life('a job that was accepted in time runs on and settles', async () => {
  await voter.setNotice(NOTICE_SECONDS)
  const asked = ask(MODEL.id, { stream: true, max_tokens: 100 }).then((answer) => ({
    answer,
    at: Date.now(),
  }))
  await until('the answer to have begun', async () => {
    const found: { data: Job[] } = bodyOf(
      await send(customer, `/jobs?model=${MODEL.id}&status=processing`),
    )
    return found.data.length > 0
  })
  await voter.retire(MODEL.id)
  const retiresAt = await until('the announcement', async () => (await find())?.svc.retires_at)
  const { answer, at } = await asked
  assert.ok(at > Date.parse(retiresAt), `the answer ended before ${retiresAt}`)
  const { isDone, service } = streamed(answer)
  assert.ok(isDone)
  jobs.unshift(service!.job_id)
  await jobSettles(customer, jobs[0]!)
})

Life('retired, it is not found, and its jobs are', async () => {
  const answer = await ask(MODEL.id)
  const refusal = errorOf(answer)
  assert.equal(
    [answer.status, refusal.code, refusal.type, refusal.param],
    [400, 'model_not_found', 'invalid_request_error', 'model'],
  )
  assert.match(refusal.message, 'retired by vote')
  const one = await send(customer, `/models/${MODEL.id}`)
  assert.equal([one.status, errorOf(one).code], [404, 'model_not_found'])
  assert.is(await find(), undefined)
  assert.equal(await jobsOf(MODEL.id), jobs)
  assert.is((await ask(OTHER, { max_tokens: 5 })).status, 200, 'others are as they were')
})

Life('everything that was restarted says the same', async () => {
  for (const role of ['actors', 'pool', 'edge'] as const) network.kill(role)
  await until(
    'the network to serve again',
    async () => {
      const answer = await ask(OTHER, { max_tokens: 5 }).catch(() => undefined)
      return answer?.status === 200
    },
    HEARD_MS,
  )
  assert.is((await ask(MODEL.id)).status, 400)
  assert.equal(await jobsOf(MODEL.id), jobs)
})

Life.run()
