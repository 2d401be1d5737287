import { Redis } from 'ioredis'
import { connect } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decode, encode } from '../../src/bus/codec.ts'
import { natsAddress } from '../../src/bus/connection/address.ts'
import { toAddress, toJobId } from '../../src/domain/ids.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import { makeEscrowCaller } from '../fakes/chain/escrow-caller.ts'
import { runOn, type Said } from '../network/command.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { ask, hashOf, LONE_MODEL, MODEL, untilStatus } from './calls.ts'
import { firstCustomer, send } from './customer.ts'
import { untilServed } from './until.ts'
import { whole } from './verdicts.ts'

/** `npm run audit` on a network that has been through a bit of everything. */
const Audit = suite('audit')

const END_MS = 90_000

let network: Network
let settledId: string

interface Books {
  readonly right: boolean
  readonly wallets: readonly Readonly<Record<string, string>>[]
  readonly jobs: Readonly<Record<'chain' | 'journal', Readonly<Record<string, number>>>>
  readonly tokens: { readonly held: string; readonly owed: string }
  readonly differences: readonly { readonly subject: string; readonly says: string }[]
}

Audit.before(async () => {
  network = await startNetwork({ env: { WORKER_SAMPLE_TOKEN_MS: '2' } })
  const models = [undefined, LONE_MODEL]
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => {
      const model = models[i % 2]
      return ask(network, { stream: i % 3 === 0, maxTokens: 200, ...(model && { model }) })
    }),
  )
  settledId = whole(answers[0]!).jobId
  for (const answer of answers) await untilStatus(network, whole(answer).jobId, 'settled', END_MS)
  await refunded()
  for (const upheld of [true, false]) await disputed(upheld)
  await disputed(null)
})
Audit.after(() => network?.stop())

Audit('after answers, refunds and disputes: the books are right', async () => {
  const said = await audit('--patience', '45')
  assert.is(said.code, 0, said.out + said.err)
  assert.match(said.out, /^wallet \(credits\) +deposited +available +locked +thawing +charged/m)
  assert.match(said.out, /^settled +20 +21 /m)
  assert.match(said.out, /^differences: 0$/m)
  assert.match(said.out, /The books are right\.\n$/)
})

Audit('JSON: the same books for a program', async () => {
  const { books, code } = await read('--patience', '45')
  assert.is(code, 0, JSON.stringify(books))
  assert.equal(books.jobs.chain, { settled: 20, refunded: 1, upheld: 1, rejected: 1, disputed: 1 })
  assert.equal(books.jobs.journal, { settled: 21, failed: 1, upheld: 1, disputed: 1 })
  assert.is(books.tokens.held, books.tokens.owed)
  const [wallet] = books.wallets
  const placed = ['available', 'locked', 'thawing', 'charged', 'withdrawn']
  const sum = placed.reduce((total, name) => total + BigInt(wallet![name]!), 0n)
  assert.is(sum, BigInt(wallet!.deposited!))
})

Audit('while jobs run: what moves is no difference', async () => {
  const calls = Array.from({ length: 12 }, () => ask(network, { stream: true, maxTokens: 500 }))
  const { books, code } = await read('--patience', '45')
  assert.is(code, 0, JSON.stringify(books.differences))
  for (const call of await Promise.all(calls)) {
    await untilStatus(network, whole(call).jobId, 'settled', END_MS)
  }
})

Audit("a changed balance in the ledger: the wallet's name, and both amounts", async () => {
  const { address } = network.wallet
  const key = `w:{${address.toLowerCase()}}`
  await withRedis((redis) => redis.hincrby(key, 'a', 5))
  const { books, code } = await read('--patience', '3')
  await withRedis((redis) => redis.hincrby(key, 'a', -5))
  assert.is(code, 1)
  assert.equal(subjects(books), [address.toLowerCase()])
  assert.match(
    books.differences[0]!.says,
    /the ledger's balance at block \d+ is \d+, but the events/,
  )
})

Audit('a forged record in the journal: the job, and what it claims', async () => {
  await forge(settledId, (state) => ({ ...state, charged: 999n }))
  const said = await audit('--patience', '3')
  assert.is(said.code, 1, said.out)
  assert.match(said.out, `✗ ${settledId}: the journal says charged 999, the chain 8`)
  assert.match(said.out, /The books are wrong\.\n$/)
})

Audit('what cannot be told: 2, and why', async () => {
  const nowhere = await audit('--nats', '127.0.0.1:9')
  assert.is(nowhere.code, 2)
  assert.match(nowhere.err, /no NATS server answers at 127\.0\.0\.1:9/)
  const unreadable = await audit('--redis', 'redis://127.0.0.1:9')
  assert.is(unreadable.code, 2)
  assert.match(unreadable.err, /Redis at 127\.0\.0\.1:9 did not answer/)
})

const audit = (...args: string[]): Promise<Said> => runOn(network, 'audit', args)

async function read(...args: string[]): Promise<{ books: Books; code: number | null }> {
  const { out, err, code } = await audit('--json', ...args)
  if (!out) throw new Error(`no books: ${err}`)
  return { books: JSON.parse(out), code }
}

const subjects = ({ differences }: Books): string[] => differences.map(({ subject }) => subject)

/** A job whose caller hangs up before a worker has said anything. */
async function refunded(): Promise<void> {
  const leaving = new AbortController()
  const halted = network.pids('worker')
  for (const pid of halted) process.kill(pid, 'SIGSTOP')
  try {
    const asked = ask(network, { stream: true, signal: leaving.signal, deadlineMs: END_MS })
    const jobId = await until('a job has begun', newestRunning, END_MS)
    leaving.abort()
    await asked
    // A worker that goes on before this could still answer, and be paid.
    await untilStatus(network, jobId, 'failed', END_MS)
  } finally {
    for (const pid of halted) process.kill(pid, 'SIGCONT')
  }
  await untilServed(network, MODEL, 2)
}

async function newestRunning(): Promise<string | undefined> {
  const { text } = await send(firstCustomer(network), '/jobs?limit=1')
  const [job] = (JSON.parse(text) as { data: { id: string; status: string }[] }).data
  return job && ['pending', 'processing'].includes(job.status) ? job.id : undefined
}

/** @param upheld null: the dispute stays open */
async function disputed(upheld: boolean | null): Promise<void> {
  const { jobId } = whole(await ask(network, { maxTokens: 50 }))
  await untilStatus(network, jobId, 'settled', END_MS)
  const opened = await send(firstCustomer(network), `/jobs/${jobId}/dispute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: { received_output_hash: hashOf('something else') },
  })
  assert.is(opened.status, 200, opened.text)
  if (upheld === null) return
  const arbiter = makeEscrowCaller({
    rpcUrl: network.rpc_url,
    contracts: { jobEscrow: toAddress(network.contracts.job_escrow) },
    privateKey: `0x${network.arbiter.private_key.slice(2)}`,
  })
  await until('the dispute is on chain', () =>
    arbiter.resolveDispute(toJobId(jobId), upheld).then(
      () => true,
      () => false,
    ),
  )
  await untilStatus(network, jobId, upheld ? 'refunded' : 'settled', END_MS)
}

/** Writes one more record into a job's journal, as somebody could who has the server. */
async function forge(jobId: string, change: (state: object) => object): Promise<void> {
  const connection = await connect({ ...natsAddress(network.nats_url) })
  try {
    const subject = SUBJECTS.jobJournal(toJobId(jobId))
    const manager = await connection.jetstreamManager()
    const { data } = await manager.streams.getMessage('JOB', { last_by_subj: subject })
    const { body } = decode(data) as { body: { state: object; events: object[] } }
    const forged = { token: 'forged', body: { ...body, state: change(body.state) } }
    await connection.jetstream().publish(subject, encode(forged))
  } finally {
    await connection.close()
  }
}

async function withRedis(work: (redis: Redis) => Promise<unknown>): Promise<void> {
  const redis = new Redis(network.redis_url)
  try {
    await work(redis)
  } finally {
    redis.disconnect()
  }
}

Audit.run()
