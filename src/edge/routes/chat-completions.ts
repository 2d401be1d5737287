import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Balances } from '../../api/balances.ts'
import { RefusalError } from '../../api/http/errors.ts'
import type { Credits } from '../../domain/credits.ts'
import type { Refusal } from '../../domain/errors.ts'
import type { ServiceNames } from '../../domain/service-names.ts'
import type { JoinHolder } from '../../messages/job-reply.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Traces } from '../../telemetry/traces.ts'
import { answerPlain, silentFollower } from '../answer/answer-plain.ts'
import { StreamAnswer } from '../answer/answer-stream.ts'
import { readsTrailers } from '../answer/reads-trailers.ts'
import { callerOf } from '../callers/caller.ts'
import type { Admission } from '../chat/admission.ts'
import { type ChatOrder, parseChatRequest } from '../chat/chat-request.ts'
import { watchHangUp } from '../chat/hang-up.ts'
import { joinKeyOf } from '../chat/join-key.ts'
import type { Joining } from '../chat/joining.ts'
import { type RequestTrace, traceRequest } from '../chat/request-trace.ts'
import type { KeyTaken, RunJob } from '../chat/run-job.ts'
import { keepFailing, type TakenOn, TRIES, takeOn } from '../chat/take-on.ts'
import { jobHeaders } from '../http/service-headers.ts'
import { createChatCompletion } from '../openapi/operations.ts'
import { type ChatBody, chatBody, dropNulls } from '../schemas/chat-body.ts'
import type { FollowedJob } from '../waiting/follow-job.ts'
import type { Outcome } from '../waiting/outcome.ts'
import type { WaitedJob } from '../waiting/waited-job.ts'

interface Options {
  readonly admission: Admission
  readonly joining: Joining
  readonly runJob: RunJob
  readonly balances: Balances
  readonly clock: Clock
  readonly docsUrl: string
  readonly names: ServiceNames
  readonly traces?: Traces | undefined
}

export function chatCompletions(server: FastifyInstance, options: Options): void {
  const tracing = { traces: options.traces, headers: options.names.headers }
  server.post<{ Body: ChatBody }>(
    '/v1/chat/completions',
    {
      schema: { body: chatBody },
      config: { operation: createChatCompletion },
      preValidation: async (request) => dropNulls(request.body),
    },
    async (request, reply) => {
      const trace = traceRequest(tracing, request, reply)
      const order = parseChatRequest(request.body)
      if (!order.ok) throw new RefusalError(order.error)
      const key = joinKeyOf(request.headers, request.bodyDigest)
      if (!key.ok) throw new RefusalError(key.error)
      const hangUp = watchHangUp(reply.raw)
      const answer = order.value.stream ? stream : plain
      let holder: JoinHolder | undefined
      for (let tried = 0; tried < TRIES; tried++) {
        const taken = await takeOn(options, callerOf(request), order.value, key.value, holder)
        trace?.admitted(taken)
        const end = await answer(options, {
          request,
          reply,
          taken,
          order: order.value,
          hangUp,
          trace,
        })
        if (end === 'answered') return reply
        if (end === 'hung_up') {
          if (!reply.sent) reply.hijack() // there is nobody left to answer
          return reply
        }
        holder = end.holder
      }
      throw keepFailing()
    },
  )
}

type End = 'hung_up' | 'answered' | KeyTaken

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly taken: TakenOn
  readonly order: ChatOrder
  readonly hangUp: ReturnType<typeof watchHangUp>
  readonly trace: RequestTrace | undefined
}

async function plain(options: Options, { reply, taken, hangUp, trace }: Exchange): Promise<End> {
  const { job } = taken
  const follow = { follower: silentFollower, hangUp, trace }
  return options.runJob.run<'answered'>(taken, follow, async (outcome, followed) => {
    if (outcome.type === 'failed') throw await refusalOf(job, outcome, followed, options)
    const { headers, body } = await answerPlain(job, outcome, followed, options)
    reply.headers(headers).header('content-type', 'application/json; charset=utf-8').send(body)
    return 'answered'
  })
}

async function stream(
  options: Options,
  { request, reply, taken, order, hangUp, trace }: Exchange,
): Promise<End> {
  const { job } = taken
  const { balances, clock, docsUrl, names } = options
  const answer = new StreamAnswer({
    job,
    includeUsage: order.includeUsage,
    response: reply.raw,
    takeOver: () => {
      reply.hijack()
      return reply.getHeaders()
    },
    trailers: readsTrailers(request.raw),
    clock,
    docsUrl,
    names,
  })
  const follow = { follower: answer, hangUp, trace }
  return options.runJob.run<'answered'>(taken, follow, async (outcome, followed) => {
    if (outcome.type === 'completed') await answer.complete(outcome.ending, followed, balances)
    else if (answer.committed) {
      await remainingAfterFailure(job, followed, options)
      answer.fail(await withBalance(outcome.refusal, job, options))
    } else throw await refusalOf(job, outcome, followed, options)
    return 'answered'
  })
}

async function refusalOf(
  waited: WaitedJob,
  { refusal, job }: Extract<Outcome, { type: 'failed' }>,
  followed: FollowedJob,
  options: Options,
): Promise<RefusalError> {
  const { headers: named } = options.names
  const headers = jobHeaders(named, { ...job, jobId: waited.jobId })
  if (refusal.code === 'insufficient_credits') {
    return new RefusalError(await withBalance(refusal, waited, options), { headers })
  }
  const remaining = await remainingAfterFailure(waited, followed, options)
  const told = remaining === undefined ? {} : { [named.creditsRemaining]: String(remaining) }
  return new RefusalError(refusal, { headers: { ...headers, ...told } })
}

/** Where the chain refused the lock only we can tell what the wallet has left; else as it is. */
async function withBalance(
  refusal: Refusal,
  { caller }: WaitedJob,
  { balances }: Options,
): Promise<Refusal> {
  if (refusal.code !== 'insufficient_credits') return refusal
  const remaining = await balances.glance(caller.wallet)
  const details = { credits_remaining: Number(remaining ?? 0), ...refusal.details }
  return { ...refusal, details }
}

/** Its credits are on their way back, and whoever asks again at once must not be told that they are gone. */
async function remainingAfterFailure(
  { jobId, caller }: WaitedJob,
  { jobIsOver, charged }: FollowedJob,
  { balances }: Options,
): Promise<Credits | undefined> {
  return jobIsOver ? balances.glanceAfter(caller.wallet, jobId, charged) : undefined
}
