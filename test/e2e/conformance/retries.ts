import { randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import { pause } from '../../until.ts'
import { type Answer, bodyOf, type Customer, send } from '../customer.ts'
import { streamed } from '../streamed.ts'
import { ASK, held, type Life, type LifeRow } from './life-stage.ts'

/** Requests that come twice, and must not pay twice. */
export function retryRows(row: LifeRow, life: () => Life): void {
  const post = (headers: Record<string, string>, fields: object = {}, by?: Customer) =>
    send(by ?? life().customer, '/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: { ...ASK, ...fields },
    })
  /** Both are sent while neither is answered. @returns how many jobs that made */
  const twice = async (first: () => Promise<Answer>, second: () => Promise<Answer>) => {
    const open = held({ rest: ['said', ' once'] })
    life().says(open.reply)
    const before = await life().locks()
    const asked = [first()]
    await open.reached
    asked.push(second())
    // Time for a second job to appear, if there is one.
    await pause(700)
    open.goOn()
    const answers = await Promise.all(asked)
    for (const answer of answers) assert.is(answer.status, 200, answer.text)
    const made = (await life().locks()).slice(before.length)
    for (const id of made) await life().settles(id)
    return { answers, made, asked: life().upstream.requests.length }
  }
  const isOne = async (first: () => Promise<Answer>, second: () => Promise<Answer>) => {
    const { answers, made, asked } = await twice(first, second)
    assert.is(made.length, 1, 'one lock')
    assert.is(asked, 1, 'one inference')
    for (const { headers } of answers) assert.is(headers['x-svc-job-id'], made[0])
    return answers
  }

  row('Retried requests (choice)', 'the same Idempotency-Key joins the running job', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const plain = await isOne(
      () => post(key),
      () => post(key),
    )
    assert.equal(bodyOf(plain[0]!), bodyOf(plain[1]!))
    const other = { 'idempotency-key': randomUUID() }
    const streams = await isOne(
      () => post(other, { stream: true }),
      () => post(other, { stream: true }),
    )
    for (const answer of streams) {
      assert.is(streamed(answer).text, 'said once')
      assert.ok(streamed(answer).isDone)
    }
  })
  row(
    'Retried requests (choice)',
    'the same body with x-stainless-retry-count joins the running job',
    async () => {
      const fields = { user: randomUUID() }
      await isOne(
        () => post({ 'x-stainless-retry-count': '0' }, fields),
        () => post({ 'x-stainless-retry-count': '1' }, fields),
      )
    },
  )
  row('Retried requests (choice)', 'the same body without either is a job of its own', async () => {
    const { made } = await twice(
      () => post({}),
      () => post({}),
    )
    assert.is(made.length, 2)
  })
  row(
    'Retried requests (choice)',
    'the same Idempotency-Key of another wallet is a job of its own',
    async () => {
      const somebody = await life().buyer(100)
      const key = { 'idempotency-key': randomUUID() }
      const { answers } = await twice(
        () => post(key),
        () => post(key, {}, somebody),
      )
      const [mine, theirs] = answers.map(({ headers }) => headers['x-svc-job-id'])
      assert.is.not(mine, theirs)
      await life().settles(String(theirs), somebody)
    },
  )
}
