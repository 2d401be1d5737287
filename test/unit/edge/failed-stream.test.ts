import fastify from 'fastify'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Balances } from '../../../src/api/balances.ts'
import { errorHandler } from '../../../src/api/http/errors.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import type { Refusal } from '../../../src/domain/errors.ts'
import { makeJobId, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { Caller } from '../../../src/edge/callers/auth.ts'
import type { Admission } from '../../../src/edge/chat/admission.ts'
import type { Joining } from '../../../src/edge/chat/joining.ts'
import type { RunJob } from '../../../src/edge/chat/run-job.ts'
import { chatCompletions } from '../../../src/edge/routes/chat-completions.ts'
import type { FollowedJob } from '../../../src/edge/waiting/follow-job.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { defaultNames } from '../../fakes/default-names.ts'

/** What is told where a job fails, in a stream after some of its text was shown. */
const FailedStream = suite('edge: failed stream')

const wallet = toAddress(`0x${'1'.repeat(40)}`)
const caller: Caller = { wallet, keyCreatedAt: toUnixMs(0), key: { hash: '', proof: '' } }
const jobId = makeJobId(toUnixMs(1), new Uint8Array(16))

interface Asked {
  readonly stream: boolean
  /** What the job says before it ends. */
  readonly text?: string
}

/** The answer to a request whose job ends so. */
async function answerOf(refusal: Refusal, remaining: number | undefined, { stream, text }: Asked) {
  const left = remaining === undefined ? undefined : toCredits(remaining)
  const job = { jobId, caller, model: 'm', lock: toCredits(8), remaining: left, at: toUnixMs(1) }
  const admission = { admit: async () => job } as unknown as Admission
  const runJob: RunJob = {
    run: async (_, { follower }, answer) => {
      const head = { worker: wallet, escrowTx: toHex32(`0x${'2'.repeat(64)}`) }
      if (text !== undefined) follower.onText(text, head)
      const followed = { jobIsOver: true, charged: toCredits(0) } as FollowedJob
      return answer({ type: 'failed', refusal, job: {} }, followed)
    },
  }
  const balances = {
    glance: async () => left,
    glanceAfter: async () => left,
  } as unknown as Balances
  const server = fastify()
  server.decorateRequest('bodyDigest', '')
  server.decorateRequest('caller', null)
  server.addHook('onRequest', async (request) => {
    request.caller = caller
  })
  server.setErrorHandler(errorHandler('http://docs.test', makeLog('test', 'silent')))
  chatCompletions(server, {
    ...{ admission, runJob, balances, joining: {} as Joining, names: defaultNames },
    ...{ clock: new ManualClock(), docsUrl: 'http://docs.test' },
  })
  const payload = { model: 'm', stream, messages: [{ role: 'user', content: 'Hi' }] }
  const answer = await server.inject({ method: 'POST', url: '/v1/chat/completions', payload })
  await server.close()
  return answer
}

/** The object `error` of the stream of a job that has said a word and then ends so. */
async function errorAfterText(refusal: Refusal, remaining: number | undefined) {
  const { body } = await answerOf(refusal, remaining, { stream: true, text: 'Hel' })
  const events = body.split('\n\n').filter(Boolean)
  assert.is(events.length, 2, body)
  assert.match(events[0]!, '"content":"Hel"')
  return JSON.parse(events[1]!.slice('data: '.length)).error
}

const lockRefused: Refusal = {
  code: 'insufficient_credits',
  message: 'The balance on chain does not cover it.',
  details: { credits_required: 8, tier: 'standard' },
}

FailedStream('a lock that the chain refused has all of its details', async () => {
  const { code, details } = await errorAfterText(lockRefused, 5)
  assert.is(code, 'insufficient_credits')
  assert.equal(details, { credits_remaining: 5, credits_required: 8, tier: 'standard' })
})

FailedStream('so it has before any text, and there it is a 402 of the job', async () => {
  for (const stream of [true, false]) {
    const answer = await answerOf(lockRefused, 5, { stream })
    assert.equal([answer.statusCode, answer.headers['x-svc-job-id']], [402, jobId])
    const { code, details } = answer.json().error
    assert.is(code, 'insufficient_credits')
    assert.equal(details, { credits_remaining: 5, credits_required: 8, tier: 'standard' })
  }
})

FailedStream('what else goes wrong is told as it is', async () => {
  const error = await errorAfterText({ code: 'internal_error', message: 'It broke.' }, undefined)
  assert.equal(
    [error.code, error.message, error.details],
    ['internal_error', 'It broke.', undefined],
  )
})

FailedStream.run()
