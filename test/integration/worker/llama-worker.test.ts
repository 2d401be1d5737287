import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { outputHash } from '../../../src/domain/hash.ts'
import { completionDigest, recover } from '../../../src/domain/proof.ts'
import type { Engine } from '../../../src/worker/engine.ts'
import { openTinyEngine, SENTENCE_TEXT, SENTENCE_TOKENS } from '../../fakes/llama/engine-house.ts'
import { installLlama } from '../../fakes/llama/installed.ts'
import { type House, inHouse } from '../../fakes/pool/house.ts'
import { ESCROW_SEPARATOR, identity, MODEL, type PoolStage } from '../../fakes/pool/stage.ts'
import { SOON_MS, until } from '../../until.ts'

const Jobs = suite('pool and a worker with an engine of its own')
const installed = await installLlama()

/** BOS, role, five letters as one token, end of message, the assistant's role. */
const HELLO_TOKENS = 5

/** Opened once; each test's agent would close it. */
let engine: Engine
const ENDLESS = 'Qwen/Qwen3-14B'
const SLOTS = 2
Jobs.before(async () => {
  if (!('folder' in installed)) return
  const models = { [MODEL]: 'sentence', [ENDLESS]: 'endless' } as const
  engine = await openTinyEngine(installed.folder, { models, slots: SLOTS })
})
Jobs.after(async () => engine?.close())

function test(name: string, play: (stage: PoolStage) => Promise<void>) {
  if ('missing' in installed) {
    Jobs(`skipped: ${name}`, () => void process.stdout.write(`skipped: ${installed.missing}\n`))
    return
  }
  const serve = async ({ stage }: House) => {
    await stage.agent({ ...engine, close: async () => {} }, { slots: SLOTS })
    await play(stage)
  }
  Jobs(name, inHouse(serve))
}

test('an answer is proven with the exact count of its tokens', async (stage) => {
  const sampling = { temperature: 0 }
  const jobs = await Promise.all([1, 2, 3, 4].map(() => stage.offer({}, { sampling })))
  for (const { jobId, reply } of jobs) {
    assert.equal(reply, { type: 'taken' })
    const done = await stage.hears(jobId, 'CompleteJob')
    assert.is(stage.textOf(jobId), SENTENCE_TEXT)
    assert.equal(done.usage, { promptTokens: HELLO_TOKENS, completionTokens: SENTENCE_TOKENS })
    assert.is(done.finishReason, 'stop')
    assert.is(done.outputHash, outputHash(SENTENCE_TEXT))
    const { outputHash: hash, completedAt } = done
    const signed = { jobId, outputHash: hash, outputTokens: SENTENCE_TOKENS, completedAt }
    const signer = recover(completionDigest(ESCROW_SEPARATOR, signed), done.signature)
    assert.is(signer, identity(1).address)
  }
})

test('a prompt beyond the context is for the caller to mend', async (stage) => {
  const messages = [{ role: 'user' as const, content: 'x'.repeat(600) }]
  const { jobId } = await stage.offer({}, { messages })
  const { reason } = await stage.hears(jobId, 'FailWorker')
  assert.is(reason, 'context_length_exceeded')
  assert.match(String(stage.outputs.refusals.get(jobId)), 'the messages are 604 tokens')
})

test('a caller who hangs up pays for what was generated', async (stage) => {
  const { jobId } = await stage.offer({ model: ENDLESS, outputTokensMax: 30_000 })
  await until('an answer to begin', () => stage.textOf(jobId).length > 20, SOON_MS)
  await stage.stop(jobId, true)
  const done = await stage.hears(jobId, 'CompleteJob')
  const text = stage.textOf(jobId)
  assert.is(done.outputHash, outputHash(text))
  // Each token of this model is one word with its space.
  const completionTokens = text.trim().split(' ').length
  assert.equal(done.usage, { promptTokens: HELLO_TOKENS, completionTokens })
})

Jobs.run()
