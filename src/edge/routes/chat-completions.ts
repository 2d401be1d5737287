import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../ports/clock.ts'
import type { Admission, AdmittedJob } from '../admission.ts'
import { answerPlain, silentFollower } from '../answer-plain.ts'
import { StreamAnswer } from '../answer-stream.ts'
import type { Balances } from '../balances.ts'
import { callerOf } from '../caller.ts'
import { type ChatOrder, parseChatRequest } from '../chat-request.ts'
import { type ChatBody, chatBody, dropNulls } from '../chat-schema.ts'
import { RefusalError } from '../errors.ts'
import type { Outcome } from '../follow-job.ts'
import { watchHangUp } from '../hang-up.ts'
import type { RunJob } from '../run-job.ts'
import { jobHeaders } from '../service-headers.ts'

interface Options {
  readonly admission: Admission
  readonly runJob: RunJob
  readonly balances: Balances
  readonly clock: Clock
  readonly docsUrl: string
}

export function chatCompletions(server: FastifyInstance, options: Options): void {
  server.post<{ Body: ChatBody }>(
    '/v1/chat/completions',
    {
      schema: { body: chatBody },
      preValidation: async (request) => dropNulls(request.body),
    },
    async (request, reply) => {
      const order = parseChatRequest(request.body)
      if (!order.ok) throw new RefusalError(order.error)
      const hangUp = watchHangUp(reply.raw)
      const job = await options.admission.admit(callerOf(request), order.value)
      const answer = order.value.stream ? stream : plain
      const end = await answer(options, { request, reply, job, order: order.value, hangUp })
      if (end !== 'hung_up') return reply
      if (!reply.sent) reply.hijack() // there is nobody left to answer
      return reply
    },
  )
}

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly job: AdmittedJob
  readonly order: ChatOrder
  readonly hangUp: ReturnType<typeof watchHangUp>
}

async function plain(
  { runJob, balances }: Options,
  { reply, job, hangUp }: Exchange,
): Promise<'hung_up' | 'answered'> {
  return runJob.run<'answered'>(job, silentFollower, hangUp, async (outcome, followed) => {
    if (outcome.type === 'failed') throw await refusalOf(job, outcome, balances)
    const { headers, body } = await answerPlain(job, outcome, followed, balances)
    reply.headers(headers).header('content-type', 'application/json; charset=utf-8').send(body)
    return 'answered'
  })
}

async function stream(
  { runJob, balances, clock, docsUrl }: Options,
  { request, reply, job, order, hangUp }: Exchange,
): Promise<'hung_up' | 'answered'> {
  const answer = new StreamAnswer({
    job,
    includeUsage: order.includeUsage,
    response: reply.raw,
    takeOver: () => {
      reply.hijack()
      return reply.getHeaders()
    },
    trailers: request.raw.httpVersion === '1.1',
    clock,
    docsUrl,
  })
  return runJob.run<'answered'>(job, answer, hangUp, async (outcome, followed) => {
    if (outcome.type === 'completed') await answer.complete(outcome.ending, followed, balances)
    else if (answer.committed) answer.fail(outcome.refusal)
    else throw await refusalOf(job, outcome, balances)
    return 'answered'
  })
}

async function refusalOf(
  { jobId, caller }: AdmittedJob,
  { refusal, escrowTx }: Extract<Outcome, { type: 'failed' }>,
  balances: Balances,
): Promise<RefusalError> {
  const headers = jobHeaders({ jobId, escrowTx })
  if (refusal.code !== 'insufficient_credits') return new RefusalError(refusal, { headers })
  // The chain refused the lock; only we can tell what the wallet has left.
  const remaining = await balances.glance(caller.wallet)
  const details = { credits_remaining: Number(remaining ?? 0), ...refusal.details }
  return new RefusalError({ ...refusal, details }, { headers })
}
