import * as assert from 'uvu/assert'
import { hashOf } from '../calls.ts'
import { bodyOf } from '../customer.ts'
import { refusedAs } from './envelope.ts'
import {
  checkJob,
  checkUsage,
  hasFields,
  JOB_ID,
  ON_CHAIN_FIELDS,
  PROOF_HASH,
  timestamp,
} from './forms.ts'
import { header, NO_JOB, STANDARD, type Wire, type WireRow } from './wire-stage.ts'

/** A settled Job, field by field, held against what its caller saw and against the chain. */
export function jobRows(row: WireRow, wire: () => Wire): void {
  const plain = () => wire().plain()

  row('Job', 'id: form job_<alphanumeric>', async () => {
    const { job, answer } = await plain()
    assert.match(job.id, JOB_ID)
    assert.is(job.id, header(answer, 'x-svc-job-id'))
    checkJob(job)
  })
  row('Job', 'object: always job', async () => {
    assert.is((await plain()).job.object, 'job')
  })
  row('Job', 'status: string of the states', async () => {
    assert.is((await plain()).job.status, 'settled')
  })
  row('Job', 'model: string, model ID', async () => {
    assert.is((await plain()).job.model, STANDARD)
  })
  row('Job', 'tier: lite, standard, pro or max', async () => {
    assert.is((await plain()).job.tier, 'standard')
  })
  row('Job', 'credits_charged: integer', async () => {
    assert.is((await plain()).job.credits_charged, 8)
  })
  row('Job', 'usdg_value: number, charge in payment-token units', async () => {
    assert.is((await plain()).job.usdg_value, 0.08)
  })
  row('Job', 'worker_address: on-chain address of the serving worker', async () => {
    const { job, answer } = await plain()
    const settled = await wire().chain.settlement(job.id)
    const signer = await wire().chain.worker(settled?.args.workerId ?? -1)
    assert.is(job.worker_address?.toLowerCase(), signer)
    assert.is(job.worker_address, header(answer, 'x-svc-worker'))
  })
  row('Job', 'created_at: timestamp', async () => {
    const { job, completion } = await plain()
    const second = Math.floor(timestamp(job.created_at) / 1000)
    assert.is(second, completion.created, 'the answer tells the same moment')
  })
  row('Job', 'completed_at: timestamp', async () => {
    const { job } = await plain()
    const tookMs = timestamp(job.completed_at) - timestamp(job.created_at)
    assert.ok(tookMs >= 0 && tookMs < 120_000, `${tookMs} ms`)
  })
  row('Job', 'on_chain: object', async () => {
    hasFields((await plain()).job.on_chain, ON_CHAIN_FIELDS)
  })
  row('Job', 'usage: prompt_tokens, completion_tokens, total_tokens', async () => {
    const { job, completion } = await plain()
    if (!job.usage) throw new Error('a settled job has its usage')
    checkUsage(job.usage)
    assert.equal(job.usage, completion.usage)
  })

  row(
    'Job on_chain',
    'escrow_tx: records the debit, the lock, the tier and the job ID',
    async () => {
      const { job, answer } = await plain()
      const { chain, customer } = wire()
      const lock = await chain.lock(job.id)
      assert.is(lock.transactionHash, job.on_chain.escrow_tx)
      assert.is(job.on_chain.escrow_tx, header(answer, 'x-svc-tx-hash'))
      assert.is(lock.args.wallet.toLowerCase(), customer.wallet)
      assert.is(lock.args.credits, 8)
      assert.is(lock.args.tier, 1)
    },
  )
  row(
    'Job on_chain',
    'settlement_tx: records release, both payments and the proof hash',
    async () => {
      const { job, answer } = await plain()
      const settled = await wire().chain.settlement(job.id)
      assert.is(settled?.transactionHash, job.on_chain.settlement_tx)
      assert.is(job.on_chain.settlement_tx, header(answer, 'x-svc-settlement-tx'))
      assert.is(settled?.args.creditsCharged, job.credits_charged)
      assert.is(settled?.args.creditsReturned, 0)
      assert.ok(settled && settled.args.workerUnits > 0n && settled.args.treasuryUnits > 0n)
      assert.is(`sha256:${settled?.args.outputHash.slice(2)}`, job.on_chain.proof_hash)
    },
  )
  row('Job on_chain', 'escrow_address: settlement contract address', async () => {
    const { job } = await plain()
    const { job_escrow } = wire().network.contracts
    assert.is(job.on_chain.escrow_address.toLowerCase(), job_escrow.toLowerCase())
  })
  row('Job on_chain', 'block_number: integer', async () => {
    const { job } = await plain()
    const settled = await wire().chain.settlement(job.id)
    assert.is(job.on_chain.block_number, Number(settled?.blockNumber))
  })
  row('Job on_chain', 'proof_hash: form sha256:<hex>', async () => {
    const { job, text } = await plain()
    assert.match(job.on_chain.proof_hash ?? '', PROOF_HASH)
    assert.is(job.on_chain.proof_hash, hashOf(text))
  })

  row(
    'GET /jobs (choice)',
    'a job of another wallet: 404, the same answer as for none',
    async () => {
      const { buyer, get, network, plain } = wire()
      const { job } = await plain()
      const stranger = await buyer(100)
      bodyOf(await get(`/jobs/${job.id}`))
      const wanted = { status: 404, code: 'job_not_found', param: null }
      const other = refusedAs(await get(`/jobs/${job.id}`, stranger), network.docs_url, wanted)
      const none = refusedAs(await get(`/jobs/${NO_JOB}`, stranger), network.docs_url, wanted)
      assert.is(other.message.replace(job.id, NO_JOB), none.message)
    },
  )
}
