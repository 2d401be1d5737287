import { EventEmitter } from 'node:events'
import pino from 'pino'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConnectRequest, Offer } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { toJobId } from '../../../src/domain/ids.ts'
import { mostTokensOf } from '../../../src/domain/plausible-tokens.ts'
import type { Engine, EngineEnding } from '../../../src/worker/engine.ts'
import { Identity } from '../../../src/worker/identity.ts'
import { JobRun } from '../../../src/worker/job-run.ts'
import { SignedJobs } from '../../../src/worker/local/signed-jobs.ts'
import { Outgoing, type PoolCall } from '../../../src/worker/outgoing.ts'

const Run = suite('worker: one job')

const JOB = toJobId(`job_${'a'.repeat(26)}`)
const USAGE: EngineEnding['usage'] = { promptTokens: 9, completionTokens: 1 }

interface Terms {
  readonly usage?: EngineEnding['usage']
  readonly deadlineAt?: number
  readonly maxOutputTokens?: number
  readonly signed?: Pick<SignedJobs, 'claim'>
  /** What befalls it before it begins. */
  readonly before?: (run: JobRun) => void
  /** What its engine gives before its one word. */
  readonly pieces?: () => Iterable<string>
}

/** @returns what the pool reads of a job whose engine says one word */
async function saidOf(terms: Terms = {}) {
  const { usage = USAGE, deadlineAt = 0, maxOutputTokens = 100, before = () => {} } = terms
  const written: Uint8Array[] = []
  const write = (request: ConnectRequest) => written.push(ConnectRequest.encode(request).finish())
  const outgoing = new Outgoing()
  outgoing.attach(Object.assign(new EventEmitter(), { write }) as unknown as PoolCall, false)
  const engine: Engine = {
    name: 'one word',
    models: async () => new Map(),
    async *generate() {
      for (const text of terms.pieces?.() ?? []) {
        yield { text, tokens: 0 }
        await new Promise((resolve) => setImmediate(resolve))
      }
      yield { text: 'Hello', tokens: 1, ending: { finishReason: 'stop', usage } }
    },
    close: async () => {},
  }
  const offer = {
    ...Offer.decode(new Uint8Array()),
    model: 'a/b',
    maxOutputTokens,
    deadlineAt,
  }
  const run = new JobRun(JOB, offer, {
    engine,
    identity: new Identity(`0x${'11'.repeat(32)}`, undefined),
    outgoing,
    escrowSeparator: new Uint8Array(32),
    signed: (terms.signed ?? new SignedJobs()) as SignedJobs,
    log: pino({ level: 'silent' }),
  })
  before(run)
  await run.run(60_000)
  return written.map((bytes) => ConnectRequest.decode(bytes).message)
}

async function completionOf(terms: Terms) {
  const last = (await saidOf(terms)).at(-1)
  assert.ok(last?.$case === 'completion', last?.$case)
  return last.value
}

/** @returns why the job has no proof */
async function failureOf(terms: Terms) {
  const last = (await saidOf(terms)).at(-1)
  assert.ok(last?.$case === 'failure', last?.$case)
  return last.value.message
}

Run('an upstream may claim any number of tokens: what is told can be written', async () => {
  const claimed = 5_000_000_000
  const usage = { promptTokens: claimed, completionTokens: claimed }
  const told = await completionOf({ usage })
  assert.is(told.promptTokens, 4_294_967_295)
  assert.is(told.outputTokens, 100)
  assert.is((await completionOf({})).promptTokens, 9)
})

Run('of tokens that its text cannot be, no more are signed than a pool takes', async () => {
  const usage = { promptTokens: 9, completionTokens: 900 }
  const { outputTokens } = await completionOf({ usage, maxOutputTokens: 1_000 })
  assert.is(outputTokens, mostTokensOf('Hello'))
})

Run('another answer to a job that was signed is not: two of them cost stake', async () => {
  const signed = new SignedJobs()
  const one = await completionOf({ signed })
  const usage = { promptTokens: 9, completionTokens: 2 }
  assert.match(await failureOf({ signed, usage }), /another answer to this job is signed/)
  assert.equal((await completionOf({ signed })).outputHash, one.outputHash, 'the same one is')
})

Run('what cannot be written down is not signed', async () => {
  const claim = () => {
    throw new Error('no space left')
  }
  assert.match(await failureOf({ signed: { claim } }), /cannot write down/)
})

Run('one that was given up says nothing, and signs nothing', async () => {
  const signed = new SignedJobs()
  assert.equal(await saidOf({ signed, before: (run) => run.abandon() }), [])
  assert.not(signed.has(JOB))
})

Run(
  'a result that nobody takes any more is not signed, whatever else it was stopped for',
  async () => {
    const signed = new SignedJobs()
    const before = (run: JobRun) => {
      run.stop('settle')
      run.stop('drop')
      run.stop('settle')
    }
    assert.match(await failureOf({ signed, before }), /^cancelled$/)
    assert.not(signed.has(JOB))
  },
)

Run('a model that thinks on in the middle of its answer gives a sign of life', async () => {
  const real = performance.now
  let aheadMs = 0
  performance.now = () => real.call(performance) + aheadMs
  try {
    const said = await saidOf({
      // Before its first word a pool has another patience, which a chunk would not lengthen.
      *pieces() {
        for (const text of ['', 'Well,', '', '', '', '']) {
          yield text
          aheadMs += 6_000
        }
      },
    })
    const texts = said.flatMap((each) =>
      each?.$case === 'chunks' ? each.value.chunks.map(({ text }) => text) : [],
    )
    assert.equal(texts, ['Well,', '', '', 'Hello'])
    const last = said.at(-1)
    assert.ok(last?.$case === 'completion')
    assert.is(last.value.chunks, 4)
  } finally {
    performance.now = real
  }
})

Run("an answer is dated by the pool's clock, whatever this machine's says", async () => {
  // A minute is left of it.
  const { completedAt } = await completionOf({ deadlineAt: 1_900_000_060_000 })
  assert.ok(completedAt >= 1_900_000_000 && completedAt < 1_900_000_010, `${completedAt}`)
})

Run.run()
