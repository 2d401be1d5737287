import { createHash } from 'node:crypto'
import * as assert from 'uvu/assert'
import { pause, until } from '../../until.ts'
import { hashOf } from '../calls.ts'
import { type Answer, bodyOf, chat } from '../customer.ts'
import type { Job } from '../public-shapes.ts'
import { once } from './conformance.ts'
import { checkJob, hasFields, PROOF_HASH, TX_HASH, timestamp } from './forms.ts'
import {
  ASK,
  DISPUTE_WINDOW_SECONDS,
  held,
  type Life,
  type LifeRow,
  MODEL,
  openStream,
} from './life-stage.ts'

interface Dispute {
  readonly job_id: string
  readonly dispute_opened: boolean
  readonly your_hash: string
  readonly worker_hash: string
  readonly dispute_tx: string | null
  readonly arbitration_window_hours: number | null
}
interface Disputed {
  readonly answer: Answer
  readonly body: Dispute
  readonly text: string
  readonly job: Job
}

const FIELDS = [
  'job_id',
  'dispute_opened',
  'your_hash',
  'worker_hash',
  'dispute_tx',
  'arbitration_window_hours',
]
const WRONG = hashOf('what somebody else received')
const received = (hash: string) => ({ received_output_hash: hash })

/** Contesting an answer. */
export function disputeRows(row: LifeRow, life: () => Life): void {
  /** One that was settled, and then contested. */
  const opened = once(async (): Promise<Disputed> => {
    const { id, text } = await life().answer('The answer that was signed.')
    await life().settles(id)
    const answer = await life().dispute(id, received(WRONG))
    return { answer, body: bodyOf(answer), text, job: await life().becomes(id, 'disputed') }
  })
  openedRows(row, life, opened)
  hashRows(row, life)
  refusalRows(row, life, opened)
  windowRows(row, life, opened)
}

function openedRows(row: LifeRow, life: () => Life, opened: () => Promise<Disputed>): void {
  const dispute = 'POST /jobs/<job_id>/dispute'
  row(dispute, 'job_id: string', async () => {
    const { body, job } = await opened()
    hasFields(body, FIELDS)
    assert.is(body.job_id, job.id)
  })
  row(dispute, 'dispute_opened: true', async () => {
    assert.is((await opened()).body.dispute_opened, true)
  })
  row(dispute, 'your_hash: sha256:<hex>', async () => {
    assert.is((await opened()).body.your_hash, WRONG)
  })
  row(dispute, 'worker_hash: sha256:<hex>', async () => {
    const { body, text, job } = await opened()
    assert.match(body.worker_hash, PROOF_HASH)
    assert.is(body.worker_hash, hashOf(text))
    assert.is(body.worker_hash, job.on_chain.proof_hash)
  })
  row(dispute, 'dispute_tx: transaction hash', async () => {
    const { body } = await opened()
    assert.match(body.dispute_tx ?? '', TX_HASH)
    assert.ok(await life().chain.succeeded(body.dispute_tx as `0x${string}`))
  })
  row(dispute, 'arbitration_window_hours: 24', async () => {
    assert.is((await opened()).body.arbitration_window_hours, 24)
  })
  row('Job status', 'disputed: the caller contested the result', async () => {
    const { job } = await opened()
    assert.is(job.status, 'disputed')
    checkJob(job)
  })
  row('Job (choice)', 'a disputed job carries dispute_tx', async () => {
    const { job, body } = await opened()
    assert.is(job.on_chain.dispute_tx, body.dispute_tx)
  })
  row(
    'Moves shown',
    'dispute: disputed, the response carries dispute_tx, window 24 hours',
    async () => {
      const { answer, body } = await opened()
      assert.is(answer.status, 200)
      assert.ok(body.dispute_opened && body.dispute_tx)
      assert.is(body.arbitration_window_hours, 24)
    },
  )
  row('Moves (choice)', 'settling to disputed once the settlement is in', async () => {
    const { id } = await life().answer('Contested at once.')
    assert.is((await life().job(id)).status, 'settling')
    const asked = life().dispute(id, received(WRONG))
    // The answer waits for the dispute to be sent, and that waits for the settlement.
    const job = await until(`${id} is disputed on chain`, async () => {
      await life().chain.mine()
      const seen = await life().job(id)
      return seen.on_chain.dispute_tx === null ? undefined : seen
    })
    assert.is(job.status, 'disputed')
    assert.ok(job.on_chain.settlement_tx && job.on_chain.block_number !== null)
    const body: Dispute = bodyOf(await asked)
    assert.is(body.dispute_opened, true)
    assert.is(body.dispute_tx, job.on_chain.dispute_tx)
  })
  row('Limits', 'Arbitration window: 24 hours', async () => {
    assert.is((await opened()).body.arbitration_window_hours, 24)
  })
}

function hashRows(row: LifeRow, life: () => Life): void {
  row(
    'POST /jobs/<job_id>/dispute',
    'the hash is over the complete text, UTF-8, any trailing newline dropped',
    async () => {
      for (const [said, hashed] of [
        ['Grüße 世界 \u{1f600}', 'Grüße 世界 \u{1f600}'],
        ['one line\n', 'one line'],
        ['two\n\n', 'two'],
        [' spaces stay ', ' spaces stay '],
        ['a\r\n', 'a\r'],
        ['', ''],
      ] as const) {
        const { id, text } = await life().answer(said)
        assert.is(text, said)
        const hex = createHash('sha256').update(hashed, 'utf8').digest('hex')
        const body: Dispute = bodyOf(await life().dispute(id, received(`sha256:${hex}`)))
        assert.is(body.dispute_opened, false, `the hash of ${JSON.stringify(said)}`)
        assert.is(body.worker_hash, `sha256:${hex}`)
        await life().settles(id)
      }
    },
  )
  row(
    'POST /jobs/<job_id>/dispute',
    'equal hashes open nothing and leave the status unchanged',
    async () => {
      const { id, text } = await life().answer('Agreed.')
      const settled = await life().settles(id)
      bodyOf(await life().dispute(id, received(hashOf(text))))
      assert.equal(await life().job(id), settled)
    },
  )
  row(
    'POST /jobs/<job_id>/dispute (choice)',
    'equal hashes: 200 with dispute_opened false and nulls',
    async () => {
      const { id, text } = await life().answer('Agreed again.')
      const answer = await life().dispute(id, received(hashOf(text)))
      assert.equal(bodyOf(answer), {
        job_id: id,
        dispute_opened: false,
        your_hash: hashOf(text),
        worker_hash: hashOf(text),
        dispute_tx: null,
        arbitration_window_hours: null,
      })
      await life().settles(id)
    },
  )
}

function refusalRows(row: LifeRow, life: () => Life, opened: () => Promise<Disputed>): void {
  const malformed = async () => {
    const { id } = await life().answer('Never contested in earnest.')
    const wanted = { status: 400, code: 'invalid_request', param: 'received_output_hash' }
    const hex = WRONG.slice('sha256:'.length)
    const hashes = [
      '',
      'sha256:',
      hex,
      `sha512:${hex}`,
      WRONG.slice(0, -1),
      `${WRONG}0`,
      ` ${WRONG}`,
    ]
    for (const hash of [...hashes, `sha256:${'g'.repeat(64)}`, null, 7, {}, [WRONG]]) {
      life().is(await life().dispute(id, { received_output_hash: hash }), wanted)
    }
    life().is(await life().dispute(id, {}), wanted)
    assert.not.equal((await life().settles(id)).status, 'disputed')
  }
  const dispute = 'POST /jobs/<job_id>/dispute'
  const choice = 'POST /jobs/<job_id>/dispute (choice)'
  row(dispute, 'received_output_hash: string, required, form sha256:<hex>', malformed)
  row(choice, 'a malformed hash: 400, param received_output_hash', malformed)

  const whileRunning = async () => {
    const running = held({ first: ['Once'] })
    life().says(running.reply)
    const stream = await openStream(life())
    await running.reached
    const wanted = { status: 409, code: 'job_not_completed', param: null }
    const { type } = life().is(await life().dispute(stream.jobId, received(WRONG)), wanted)
    assert.is(type, 'conflict_error')
    running.goOn()
    await stream.whole()
    await life().settles(stream.jobId)
  }
  row(choice, 'no finished output: 409 job_not_completed', whileRunning)
  row('HTTP statuses', '409: its state conflicts with the operation', whileRunning)

  row(choice, 'a second dispute: 409 dispute_already_open', async () => {
    const { job } = await opened()
    const { id } = await life().answer('Contested twice.')
    await life().settles(id)
    bodyOf(await life().dispute(id, received(WRONG)))
    const again = await life().dispute(id, received(hashOf('another thing')))
    life().is(again, { status: 409, code: 'dispute_already_open', param: null })
    assert.is((await life().job(job.id)).status, 'disputed')
  })
  row(choice, 'a job of another wallet: 404 job_not_found', async () => {
    const { id } = await life().answer('Somebody else’s.')
    const stranger = await life().buyer(100)
    const wanted = { status: 404, code: 'job_not_found', param: null }
    life().is(await life().dispute(id, received(WRONG), stranger), wanted)
    const none = await life().dispute(`job_${'0'.repeat(26)}`, received(WRONG))
    life().is(none, wanted)
    assert.is((await life().settles(id)).status, 'settled')
  })
}

function windowRows(row: LifeRow, life: () => Life, opened: () => Promise<Disputed>): void {
  const expired = once(async () => {
    await opened()
    const { id } = await life().answer('Contested too late.')
    const { completed_at } = await life().settles(id)
    const over = timestamp(completed_at) + DISPUTE_WINDOW_SECONDS * 1_000
    await pause(over - Date.now() + 300)
    const answers = [WRONG, hashOf('Contested too late.')].map((hash) =>
      life().dispute(id, received(hash)),
    )
    return { answers: await Promise.all(answers), id }
  })
  const isRefused = async () => {
    const { answers, id } = await expired()
    const wanted = { status: 422, code: 'dispute_window_expired', param: null }
    for (const answer of answers) {
      assert.is(life().is(answer, wanted).type, 'invalid_request_error')
    }
    assert.is((await life().job(id)).status, 'settled')
  }
  row(
    'POST /jobs/<job_id>/dispute',
    'more than the window after the final output token: 422',
    isRefused,
  )
  row('HTTP statuses', '422: a well-formed request fails a semantic rule', isRefused)
  row('Error codes', 'dispute_window_expired 422', isRefused)

  row('Limits', 'Dispute window: from the final output token', async () => {
    const slow = held({ first: ['Slowly'], rest: [' said.'] })
    life().says(slow.reply)
    const asked = chat(life().customer, { ...ASK, model: MODEL })
    await slow.reached
    // Longer than the window, while the answer is still being made.
    await pause(DISPUTE_WINDOW_SECONDS * 1_000 + 500)
    slow.goOn()
    const { id } = bodyOf<{ id: string }>(await asked)
    const jobId = id.replace('chatcmpl-', '')
    await life().settles(jobId)
    const body: Dispute = bodyOf(await life().dispute(jobId, received(WRONG)))
    assert.is(body.dispute_opened, true)
  })
}
