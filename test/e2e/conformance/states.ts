import * as assert from 'uvu/assert'
import { hashOf } from '../calls.ts'
import { type Answer, chat, jobBecomes, readAccount } from '../customer.ts'
import type { Job } from '../public-shapes.ts'
import { inTurn, refuses } from '../upstream-replies.ts'
import { once } from './conformance.ts'
import { checkJob, TX_HASH } from './forms.ts'
import { ASK, held, type Life, type LifeRow, openStream, PRICE } from './life-stage.ts'
import { type Late, lateJobs, lateRows } from './timeouts.ts'

/** The states of a job, the moves between them, and what happens to its credits on the way. */
export function stateRows(row: LifeRow, life: () => Life): void {
  const lived = once(() => aWholeLife(life()))
  const broken = once(() => aBrokenJob(life()))
  const late = once(() => lateJobs(life()))
  livedRows(row, lived, life)
  brokenRows(row, broken, life)
  lateRows(row, late, life)
  chosenFields(row, { lived, broken, late, life })
}

/** One job, as it was seen on its way from waiting for a worker to settled. */
interface Lived {
  readonly pending: Job
  readonly askedBeforeRouting: number
  readonly lockedAt: Readonly<Record<'pending' | 'settling' | 'settled', bigint>>
  readonly processing: Job
  readonly answer: Answer
  readonly settling: Job
  readonly settled: Job
  readonly seen: readonly string[]
}

/** Both workers are busy, so that a third job is seen waiting. */
async function aWholeLife(life: Life): Promise<Lived> {
  const { customer, chain, upstream } = life
  const busy = [held({ first: ['a'] }), held({ first: ['b'] })]
  const third = held({ first: ['c'], rest: [' and the rest'] })
  life.says(inTurn(...busy.map(({ reply }) => reply), third.reply))
  const others = [await openStream(life), await openStream(life)]
  await Promise.all(busy.map(({ reached }) => reached))

  const before = await life.locks()
  // The lock is of more than will be used.
  const asked = chat(customer, { ...ASK, max_tokens: 10_500 })
  const id = await life.nextLock(before)
  // The chain knows of it first.
  const pending = await jobBecomes(customer, id, ({ on_chain }) => on_chain.escrow_tx !== null)
  const askedBeforeRouting = upstream.requests.length
  const lockedOf = async () => (await chain.account(customer.wallet)).locked
  const lockedPending = await lockedOf()

  busy[0]?.goOn()
  await third.reached
  const processing = await life.becomes(id, 'processing')
  busy[1]?.goOn()
  for (const other of others) {
    await other.whole()
    await life.settles(other.jobId)
  }
  third.goOn()
  const answer = await asked
  const settling = await life.job(id)
  const lockedSettling = await lockedOf()
  const settled = await life.settles(id)
  return {
    pending,
    askedBeforeRouting,
    processing,
    answer,
    settling,
    settled,
    lockedAt: {
      pending: lockedPending,
      settling: lockedSettling,
      settled: (await chain.account(customer.wallet)).locked,
    },
    seen: [pending, processing, settling, settled].map(({ status }) => status),
  }
}

function livedRows(row: LifeRow, lived: () => Promise<Lived>, life: () => Life): void {
  row(
    'Job status',
    'pending: escrow holds the credits while the network finds a worker',
    async () => {
      const { pending } = await lived()
      assert.is(pending.status, 'pending')
      assert.match(pending.on_chain.escrow_tx ?? '', TX_HASH)
      assert.is(pending.worker_address, null)
    },
  )
  row('Job status', 'processing: a worker took the job and runs inference', async () => {
    const { processing, settled } = await lived()
    assert.is(processing.status, 'processing')
    assert.is(processing.worker_address, settled.worker_address)
    assert.is(processing.completed_at, null)
  })
  row('Job status', 'settling: the proof landed, confirmation is in progress', async () => {
    const { settling } = await lived()
    assert.is(settling.status, 'settling')
    assert.is(settling.on_chain.proof_hash, hashOf('c and the rest'))
    assert.ok(settling.completed_at)
  })
  row('Job status', 'settled: the worker is paid and the credits left the balance', async () => {
    const { settled } = await lived()
    assert.is(settled.status, 'settled')
    assert.is(settled.credits_charged, PRICE)
    const paid = await life().chain.settlement(settled.id)
    assert.is(paid?.args.workerUnits, 60_000n)
  })
  row('Moves (choice)', 'pending to processing to settling to settled', async () => {
    assert.equal((await lived()).seen, ['pending', 'processing', 'settling', 'settled'])
  })

  row('Credit accounting', '(1) escrow locks on arrival, before routing', async () => {
    const { askedBeforeRouting, pending, lockedAt } = await lived()
    assert.is(askedBeforeRouting, 2, 'no worker was asked for the third')
    assert.is((await life().chain.lock(pending.id)).args.credits, 48)
    // 8 each of the two that run.
    assert.is(lockedAt.pending, 64n)
  })
  row(
    'Credit accounting',
    '(2) escrow releases when the proof passes on-chain verification',
    async () => {
      const { settled } = await lived()
      const { settlement_tx } = settled.on_chain
      const signer = await life().chain.signerOf(settlement_tx ?? '0x', settled.id)
      assert.is(signer, settled.worker_address?.toLowerCase())
      assert.is((await lived()).lockedAt.settled, 0n)
    },
  )
  row('Credit accounting', '(3) the deduction happens when settlement is confirmed', async () => {
    const { settling, settled } = await lived()
    assert.equal([settling.credits_charged, settling.usdg_value], [0, 0])
    assert.equal([settled.credits_charged, settled.usdg_value], [PRICE, 0.08])
  })
  row(
    'Credit accounting',
    '(4) fewer output tokens than locked: the difference returns',
    async () => {
      const { settled } = await lived()
      const paid = await life().chain.settlement(settled.id)
      assert.equal([paid?.args.creditsCharged, paid?.args.creditsReturned], [PRICE, 40])
    },
  )
}

interface Broken {
  readonly answer: Answer
  readonly job: Job
  readonly before: number
}

async function aBrokenJob(life: Life): Promise<Broken> {
  const before = await life.atRest()
  life.says(refuses(500, { message: 'out of memory at /srv/inside' }))
  const answer = await chat(life.customer, ASK)
  return { answer, job: await life.refunded(String(answer.headers['x-svc-job-id'])), before }
}

function brokenRows(row: LifeRow, broken: () => Promise<Broken>, life: () => Life): void {
  row('Job status', 'failed: something broke before the job finished', async () => {
    assert.is((await broken()).job.status, 'failed')
  })
  row('Moves (choice)', 'processing to failed: all credits back', async () => {
    const { job, before } = await broken()
    const refund = await life().chain.refund(job.id)
    assert.is(refund?.args.credits, PRICE)
    await life().hasAgain(before)
  })
  row('HTTP statuses', '500: internal failure', async () => {
    const { answer, job } = await broken()
    const { message } = life().is(answer, { status: 500, code: 'internal_error', param: null })
    assert.not.match(message, 'inside')
    assert.is(answer.headers['x-svc-job-id'], job.id)
  })
}

interface Stories {
  readonly lived: () => Promise<Lived>
  readonly broken: () => Promise<Broken>
  readonly late: () => Promise<Late>
  readonly life: () => Life
}

function chosenFields(row: LifeRow, { lived, broken, late, life }: Stories): void {
  row('Job (choice)', 'every field is present at all times, unknown ones null', async () => {
    const { pending, processing, settling, settled } = await lived()
    const all = [pending, processing, settling, settled, (await broken()).job]
    for (const job of [...all, ...(await late()).jobs]) checkJob(job)
    for (const { completed_at, usage, on_chain } of [pending, processing]) {
      assert.equal([completed_at, usage], [null, null])
      const { settlement_tx, block_number, proof_hash, refund_tx, dispute_tx } = on_chain
      const unknown = [settlement_tx, block_number, proof_hash, refund_tx, dispute_tx]
      assert.equal(unknown, [null, null, null, null, null])
    }
  })
  row('Job (choice)', 'credits_charged and usdg_value are 0 until settled', async () => {
    const { pending, processing, settling } = await lived()
    for (const job of [pending, processing, settling, (await broken()).job]) {
      assert.equal([job.credits_charged, job.usdg_value], [0, 0])
    }
  })
  row('Job (choice)', 'a refunded or failed job carries refund_tx', async () => {
    for (const { id, on_chain } of [(await broken()).job, ...(await late()).jobs]) {
      assert.is((await life().chain.refund(id))?.transactionHash, on_chain.refund_tx)
    }
    assert.is((await lived()).settled.on_chain.refund_tx, null)
  })
  row('Job (choice)', 'escrow_tx is the transaction that was mined', async () => {
    for (const { id, on_chain } of [(await lived()).settled, (await broken()).job]) {
      assert.is((await life().chain.lock(id)).transactionHash, on_chain.escrow_tx)
    }
  })
  row('Moves (choice)', 'a terminal state never moves', async () => {
    const jobs = [(await lived()).settled, (await broken()).job, ...(await late()).jobs]
    await life().chain.mine()
    for (const job of jobs)
      assert.equal(statusAndEnds(await life().job(job.id)), statusAndEnds(job))
    const { credits_remaining } = await readAccount(life().customer)
    const { available } = await life().chain.account(life().customer.wallet)
    assert.is(BigInt(credits_remaining), available)
  })
}

const statusAndEnds = ({ status, credits_charged, on_chain }: Job) => ({
  status,
  credits_charged,
  settlement: on_chain.settlement_tx,
  refund: on_chain.refund_tx,
})
