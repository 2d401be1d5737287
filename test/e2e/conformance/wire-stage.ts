import * as assert from 'uvu/assert'
import { LAUNCH_LINEUP } from '../../../src/domain/models.ts'
import { startNetwork } from '../../network/network.ts'
import { ChainReader } from '../chain-reader.ts'
import {
  type Answer,
  balanceBecomes,
  bodyOf,
  type Customer,
  chat,
  firstCustomer,
  jobSettles,
  newCustomer,
  send,
} from '../customer.ts'
import type { Completion, Job, Refused } from '../public-shapes.ts'
import { type Streamed, streamed } from '../streamed.ts'
import { once, type Row } from './conformance.ts'
import { refusedAs, type Wanted } from './envelope.ts'
import type { ROWS } from './rows.ts'

export type WireRow = Row<typeof ROWS.wire>

export const STANDARD = 'Qwen/Qwen3-8B'
export const LITE = 'Qwen/Qwen3-1.7B'
export const PRO = 'Qwen/Qwen3-14B'
export const MAX = 'meta-llama/Llama-3.3-70B-Instruct'
export const MODEL_OF = { lite: LITE, standard: STANDARD, pro: PRO, max: MAX }
/** A job id of the right form that was never given out. */
export const NO_JOB = `job_${'0'.repeat(26)}`

const SAMPLE_TOKENS = 3_000
/** Uncapped answers are at least this long. */
export const OPEN_ANSWER_TOKENS_MIN = (SAMPLE_TOKENS * 2) / 3

export const ASK = {
  model: STANDARD,
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'And now?' },
  ],
  max_tokens: 40,
  seed: 7,
} as const

/** An answer, whole, and its job once it was paid. */
export interface Paid {
  readonly answer: Answer
  readonly text: string
  readonly job: Job
}
export interface PaidPlain extends Paid {
  readonly completion: Completion
}
export interface PaidStream extends Paid, Pick<Streamed, 'chunks' | 'service' | 'finishReason'> {}

/** A network whose two workers serve the whole catalogue with the sample engine. */
export async function openWire() {
  const network = await startNetwork({
    env: {
      WORKER_MODELS: LAUNCH_LINEUP.map(({ id }) => id).join(','),
      WORKER_SAMPLE_TOKENS: String(SAMPLE_TOKENS),
      WORKER_SAMPLE_TOKEN_MS: '0',
    },
  })
  const customer = firstCustomer(network)
  const chain = new ChainReader(network)
  const plain = once(() => payPlain(customer, ASK))
  const stream = once(() => payStream(customer, { ...ASK, stream: true }))
  return {
    network,
    customer,
    chain,
    /** One answer that every row may look at; nothing else of it is in flight. */
    plain,
    stream,
    /** A request that must be refused so. */
    refuses: async (wanted: Wanted, body: unknown, by = customer): Promise<Refused> =>
      refusedAs(await chat(by, body), network.docs_url, wanted),
    /** A body like ASK with these fields instead, refused for one of them. */
    refusesFields: async (fields: object, param: string, by = customer): Promise<Refused> => {
      const wanted = { status: 400, code: 'invalid_request', param }
      return refusedAs(await chat(by, { ...ASK, ...fields }), network.docs_url, wanted)
    },
    get: (path: string, by = customer) => send(by, path),
    /** Somebody with so many credits of their own. */
    buyer: async (credits: number): Promise<Customer> => {
      const buyer = await newCustomer(network)
      await chain.deposit(buyer, credits)
      await balanceBecomes(buyer, credits)
      return buyer
    },
    /** Somebody who never bought a credit. */
    stranger: () => newCustomer(network),
    close: () => network.stop(),
  }
}
export type Wire = Awaited<ReturnType<typeof openWire>>

export async function payPlain(customer: Customer, body: object): Promise<PaidPlain> {
  const answer = await chat(customer, body)
  const completion: Completion = bodyOf(answer)
  const job = await jobSettles(customer, completion.id.replace('chatcmpl-', ''))
  return { answer, completion, text: completion.choices[0].message.content, job }
}

export async function payStream(customer: Customer, body: object): Promise<PaidStream> {
  const answer = await chat(customer, body)
  assert.is(answer.status, 200, answer.text.slice(0, 300))
  const { isDone, text, ...rest } = streamed(answer)
  assert.ok(isDone, 'a stream ends with [DONE]')
  const job = await jobSettles(customer, rest.service?.job_id ?? '')
  return { answer, text, job, ...rest }
}

export function header({ headers, status }: Answer, name: string): string {
  const value = headers[name]
  if (typeof value !== 'string') throw new Error(`no ${name} in an answer of status ${status}`)
  return value
}
