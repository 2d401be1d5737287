import { connect, type NatsConnection } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { natsAddress } from '../../src/bus/connection/address.ts'
import { toAddress } from '../../src/domain/ids.ts'
import { domainSeparator } from '../../src/domain/proof.ts'
import { Rogue } from '../fakes/pool/rogue.ts'
import { runOn } from '../network/command.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { chat, firstCustomer, jobSettles } from './customer.ts'
import { stakeForSigner } from './mixed/stake.ts'
import { untilServed } from './until.ts'
import { workerFacts } from './worker-facts.ts'

/** A worker that signs two answers to one job, on a whole network: it is paid for one, and slashed. */
const Lying = suite('a worker that signs two answers')

const MODEL = 'Qwen/Qwen3-8B'
/** Number of its key. */
const LIAR = 77
const COMES_MS = 60_000
const text = 'It is a true answer.'

let network: Network
let nats: NatsConnection
let liar: Rogue

Lying.before(async () => {
  // It is honest until it lies, but it is scripted: no canary job.
  network = await startNetwork({ flags: ['--workers', '0'], env: { POOL_CANARY: 'false' } })
  nats = await connect({ ...natsAddress(network.nats_url), maxReconnectAttempts: -1 })
  liar = await appear()
  await stakeForSigner(network, liar.address)
})
Lying.after(async () => {
  liar?.vanish()
  await nats?.close()
  await network?.stop()
})

async function appear(): Promise<Rogue> {
  const { chain_id: chainId, contracts, pool_url } = network
  const contract = toAddress(contracts.job_escrow)
  const separator = domainSeparator({ name: 'JobEscrow', chainId, contract })
  const rogue = new Rogue(new URL(pool_url).host, LIAR, { separator })
  const door = () => rogue.welcomed || rogue.ended !== undefined
  await until('the door of the pool', door, COMES_MS)
  assert.ok(rogue.welcomed, JSON.stringify(rogue.ended))
  await untilServed(network, MODEL, 1, COMES_MS)
  return rogue
}

/** Answers one job and is paid for it. @returns the job */
async function honestJob(also: (jobId: string) => void = () => {}): Promise<string> {
  liar.onOffer = ({ jobId }) => {
    liar.accept(jobId)
    liar.chunk(jobId, 0, text)
    liar.complete(jobId, text, 1)
    also(jobId)
  }
  const customer = firstCustomer(network)
  const messages = [{ role: 'user', content: 'Is it true?' }]
  const answer = await chat(customer, { model: MODEL, messages, max_tokens: 50 })
  assert.is(answer.status, 200, answer.text)
  const jobId = String(answer.headers['x-svc-job-id'])
  await jobSettles(customer, jobId)
  return jobId
}

/** The fact of the slash for this job. */
const slashed = (jobId: string) =>
  until(
    'the slash',
    async () =>
      (await workerFacts(nats)).find(
        (fact) => fact.type === 'worker.slashed' && fact.data.related_job_id === jobId,
      ),
    COMES_MS,
  )

Lying('two at once: a tenth of its stake is gone, its caller has paid for one answer', async () => {
  const jobId = await honestJob((jobId) => liar.complete(jobId, 'It is another answer.', 1))
  const { data } = await slashed(jobId)
  assert.equal(
    { ...data, slash_tx: '' },
    {
      worker_address: liar.address,
      slash_amount_rcompute: 100,
      slash_tx: '',
      reason: 'equivocation',
      related_job_id: jobId,
    },
  )
})

Lying('the second one in a later session: the same', async () => {
  // It rests for its first lie, and callers wait.
  const jobId = await honestJob()
  liar.vanish()
  liar = await appear()
  liar.complete(jobId, 'It is another answer.', 1)
  const { data } = await slashed(jobId)
  assert.ok('slash_amount_rcompute' in data)
  assert.is(data.slash_amount_rcompute, 90)
})

Lying('the books are right', async () => {
  const said = await runOn(network, 'audit', ['--patience', '45'])
  assert.is(said.code, 0, said.out + said.err)
})

Lying.run()
