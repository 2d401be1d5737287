import * as assert from 'uvu/assert'
import { createTestClient } from 'viem'
import { headFollowing } from '../../../src/chain/rpc/moving-head.ts'
import type { Address } from '../../../src/domain/ids.ts'
import { data, type Answer as Reply } from '../../fakes/pool/upstream.ts'
import { until } from '../../until.ts'
import { networkBehind } from '../behind-upstream.ts'
import {
  type Answer,
  bodyOf,
  type Customer,
  chat,
  jobBecomes,
  newCustomer,
  readJob,
  restingBalance,
  send,
} from '../customer.ts'
import type { Completion, Job } from '../public-shapes.ts'
import { says } from '../upstream-replies.ts'
import type { Row } from './conformance.ts'
import { refusedAs, type Wanted } from './envelope.ts'
import type { ROWS } from './rows.ts'

export type LifeRow = Row<typeof ROWS.life>

export const MODEL = 'Qwen/Qwen3-8B'
export const OTHER_MODEL = 'Qwen/Qwen3-1.7B'
/** In the catalogue, and nobody's. */
export const UNSERVED_MODEL = 'google/gemma-3-27b-it'
export const WINDOW_SECONDS = 26
export const DISPUTE_WINDOW_SECONDS = 14
export const ASK = {
  model: MODEL,
  messages: [{ role: 'user', content: 'Hello' }],
  max_tokens: 100,
} as const
/** The price of ASK. */
export const PRICE = 8

/** Two workers of one slot each, behind an upstream in the test's hand, on a slow chain. */
export async function openLife() {
  const behind = await networkBehind([MODEL, OTHER_MODEL], {
    JOB_WINDOW_SECONDS: String(WINDOW_SECONDS),
    DISPUTE_WINDOW_SECONDS: String(DISPUTE_WINDOW_SECONDS),
    // A settlement stays `settling` until one more block is mined.
    CHAIN_CONFIRMATIONS: '2',
    // So that two jobs are all that runs at once, and a third has to wait.
    WORKER_SLOTS: '1',
  })
  const { upstream, network, customer, chain } = behind
  const node = createTestClient({ mode: 'anvil', transport: headFollowing(network.rpc_url) })
  const life = {
    upstream,
    network,
    customer,
    chain,
    /** Whether a transaction gets its block at once. */
    setMining: (isOn: boolean) => node.setAutomine(isOn),
    /** What the upstream says next; the last reply stays. */
    says: (reply: Reply) => {
      upstream.requests.length = 0
      upstream.answer = reply
    },
    answer: async (text: string, fields: object = {}): Promise<Whole> => {
      life.says(says(text))
      const answer = await chat(customer, { ...ASK, ...fields })
      const { id, choices }: Completion = bodyOf(answer)
      return { answer, id: id.replace('chatcmpl-', ''), text: choices[0].message.content }
    },
    job: (id: string): Promise<Job> => readJob(customer, id),
    becomes: (id: string, status: string): Promise<Job> =>
      jobBecomes(customer, id, (job) => job.status === status),
    /** Mines until the chain has confirmed it. */
    settles: (id: string, by = customer): Promise<Job> =>
      until(`${id} is settled`, async () => {
        await chain.mine()
        const job = await readJob(by, id)
        return job.status === 'settled' ? job : undefined
      }),
    /** The refund is told of at its broadcast: this waits for its block too. */
    refunded: async (id: string): Promise<Job> => {
      const job = await jobBecomes(customer, id, ({ on_chain }) => on_chain.refund_tx !== null)
      await until(`the refund of ${id} is in a block`, () => chain.refund(id))
      return job
    },
    /** What the customer has when nothing is under way for it any more. */
    atRest: async (): Promise<number> => {
      const account = async (wallet: Address) => {
        await chain.mine()
        return chain.account(wallet)
      }
      return restingBalance(customer, { account })
    },
    /** Waits for the wallet to have so many again; what came back counts once it is confirmed. */
    hasAgain: async (credits: number): Promise<void> => {
      assert.is(await life.atRest(), credits)
    },
    dispute: (id: string, body: unknown, by = customer): Promise<Answer> =>
      send(by, `/jobs/${id}/dispute`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      }),
    is: (answer: Answer, wanted: Wanted) => refusedAs(answer, network.docs_url, wanted),
    /** Ids of the jobs that the chain has locks of, oldest first. */
    locks: async (by = customer): Promise<string[]> =>
      (await chain.locksOf(by.wallet)).map(({ args }) =>
        Buffer.from(args.jobId.slice(2), 'hex').toString().replace(/\0+$/, ''),
      ),
    /** The one new lock of what `begin` asked for. */
    nextLock: async (before: readonly string[], by = customer): Promise<string> =>
      until('something was locked', async () =>
        (await life.locks(by)).find((id) => !before.includes(id)),
      ),
    buyer: async (credits: number): Promise<Customer> => {
      const buyer = await newCustomer(network)
      await chain.deposit(buyer, credits)
      await until('the deposit is seen', async () => {
        await chain.mine()
        const account: { credits_remaining: number } = bodyOf(await send(buyer, '/account'))
        return account.credits_remaining === credits
      })
      return buyer
    },
    close: behind.close,
  }
  return life
}
export type Life = Awaited<ReturnType<typeof openLife>>

export interface Whole {
  readonly answer: Answer
  readonly id: string
  readonly text: string
}

/** A reply that stops in the middle until it is let go on. */
export interface Held {
  readonly reply: Reply
  /** The upstream was asked, and what comes before the stop has left. */
  readonly reached: Promise<void>
  goOn(): void
}

export function held({ first = [], rest = ['the rest'] }: HeldText = {}): Held {
  let goOn = (): void => {}
  let reach = (): void => {}
  const released = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const reply: Reply = async (_request, response) => {
    response.setHeader('content-type', 'text/event-stream')
    for (const content of first) response.write(chunk({ content }))
    reach()
    await released
    if (response.destroyed) return
    for (const content of rest) response.write(chunk({ content }))
    response.write(chunk({}, 'stop'))
    response.end('data: [DONE]\n\n')
  }
  return { reply, reached, goOn: () => goOn() }
}

const chunk = (delta: object, finish_reason: string | null = null): string =>
  data({ choices: [{ index: 0, delta, finish_reason }] })

export interface HeldText {
  readonly first?: readonly string[]
  readonly rest?: readonly string[]
}

/** A stream that is read as it comes. */
export interface OpenStream {
  readonly jobId: string
  /** Reads on until this has come, and gives all that was read so far. */
  until(text: string): Promise<string>
  /** Reads to the end. */
  whole(): Promise<string>
  leave(): void
}

const STREAM_MS = 90_000

export async function openStream({ customer }: Life, fields: object = {}): Promise<OpenStream> {
  const leaving = new AbortController()
  const response = await fetch(`${customer.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...ASK, stream: true, ...fields }),
    signal: AbortSignal.any([leaving.signal, AbortSignal.timeout(STREAM_MS)]),
  })
  if (!response.ok || !response.body) throw new Error(await response.text())
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let read = ''
  const readUntil = async (isEnough: () => boolean): Promise<string> => {
    while (!isEnough()) {
      const { done, value } = await reader.read()
      if (done) break
      read += value
    }
    return read
  }
  return {
    jobId: response.headers.get('x-svc-job-id') ?? '',
    until: (text) => readUntil(() => read.includes(text)),
    whole: () => readUntil(() => false),
    leave: () => leaving.abort(),
  }
}
