import { EventEmitter } from 'node:events'
import pino from 'pino'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConnectRequest, Offer } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { toJobId } from '../../../src/domain/ids.ts'
import type { Engine, EngineEnding } from '../../../src/worker/engine.ts'
import { Identity } from '../../../src/worker/identity.ts'
import { JobRun } from '../../../src/worker/job-run.ts'
import { SignedJobs } from '../../../src/worker/local/signed-jobs.ts'
import { Outgoing, type PoolCall } from '../../../src/worker/outgoing.ts'

const Run = suite('worker: one job')

/** @returns what the pool reads of a job that ends so */
async function completionOf(usage: EngineEnding['usage'], deadlineAt = 0) {
  const written: Uint8Array[] = []
  const write = (request: ConnectRequest) => written.push(ConnectRequest.encode(request).finish())
  const outgoing = new Outgoing()
  outgoing.attach(Object.assign(new EventEmitter(), { write }) as unknown as PoolCall, false)
  const engine: Engine = {
    name: 'one word',
    models: async () => new Map(),
    async *generate() {
      yield { text: 'Hello', tokens: 1, ending: { finishReason: 'stop', usage } }
    },
    close: async () => {},
  }
  const offer = {
    ...Offer.decode(new Uint8Array()),
    model: 'a/b',
    maxOutputTokens: 100,
    deadlineAt,
  }
  const run = new JobRun(toJobId(`job_${'a'.repeat(26)}`), offer, {
    engine,
    identity: new Identity(`0x${'11'.repeat(32)}`, undefined),
    outgoing,
    escrowSeparator: new Uint8Array(32),
    signed: new SignedJobs(),
    log: pino({ level: 'silent' }),
  })
  await run.run(60_000)
  const read = written.map((bytes) => ConnectRequest.decode(bytes).message)
  const last = read.at(-1)
  assert.ok(last?.$case === 'completion', last?.$case)
  return last.value
}

Run('an upstream may claim any number of tokens: what is told can be written', async () => {
  const claimed = 5_000_000_000
  const told = await completionOf({ promptTokens: claimed, completionTokens: claimed })
  assert.is(told.promptTokens, 4_294_967_295)
  assert.is(told.outputTokens, 100)
  assert.is((await completionOf({ promptTokens: 9, completionTokens: 1 })).promptTokens, 9)
})

Run("an answer is dated by the pool's clock, whatever this machine's says", async () => {
  const usage = { promptTokens: 9, completionTokens: 1 }
  // A minute is left of it.
  const { completedAt } = await completionOf(usage, 1_900_000_060_000)
  assert.ok(completedAt >= 1_900_000_000 && completedAt < 1_900_000_010, `${completedAt}`)
})

Run.run()
