import type { ServerResponse } from 'node:http'
import type { Balances } from '../../api/balances.ts'
import { errorBody } from '../../api/http/errors.ts'
import type { Refusal } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ServiceNames } from '../../domain/service-names.ts'
import { unixSeconds } from '../../domain/time.ts'
import type { Chunk } from '../../messages/edge.ts'
import type { Clock } from '../../ports/clock.ts'
import { jobHeaders } from '../http/service-headers.ts'
import type { FollowedJob } from '../waiting/follow-job.ts'
import type { Follower } from '../waiting/follower.ts'
import type { Completed } from '../waiting/outcome.ts'
import type { WaitedJob } from '../waiting/waited-job.ts'
import { SSE_COMMENT, SSE_DONE, SseChunks, serviceObject, sseEvent } from './sse-chunks.ts'
import { SseSocket } from './sse-socket.ts'

interface Options {
  readonly job: WaitedJob
  readonly includeUsage: boolean
  readonly response: ServerResponse
  /** Called before the first byte: from then on the response is ours alone. */
  readonly takeOver: () => Record<string, string | number | string[] | undefined>
  /** Whether the client reads trailers. */
  readonly trailers: boolean
  readonly clock: Clock
  readonly docsUrl: string
  readonly names: ServiceNames
}

/** One answer as Server-Sent Events. Headers wait for the first token, so errors keep a status. */
export class StreamAnswer implements Follower {
  committed = false
  readonly #options: Options
  readonly #chunks: SseChunks
  readonly #socket: SseSocket
  #wroteAt = 0

  constructor(options: Options) {
    const { job, includeUsage, response, clock, names } = options
    this.#options = options
    this.#socket = new SseSocket(response, clock)
    this.#chunks = new SseChunks({
      jobId: job.jobId,
      created: unixSeconds(job.at),
      model: job.model,
      includeUsage,
      objectField: names.objectField,
    })
  }

  onText(text: string, head: Chunk['head']): void {
    if (!this.committed) this.#begin(text, head)
    else if (text !== '') this.#write(this.#chunks.text(text))
  }

  onTick(): void {
    const silentMs = this.#options.clock.monotonic() - this.#wroteAt
    if (this.committed && silentMs >= LIMITS.streamSilenceMs) this.#write(SSE_COMMENT)
  }

  async complete(ending: Completed, followed: FollowedJob, balances: Balances): Promise<void> {
    const { job, includeUsage, trailers, names } = this.#options
    if (!this.committed) this.#begin('', { worker: ending.worker, escrowTx: ending.escrowTx })
    const [settlementTx, remaining] = await Promise.all([
      followed.settlementTx(),
      balances.glanceAfter(job.caller.wallet, job.jobId, ending.charged),
    ])
    const service = serviceObject(ending, settlementTx, remaining)
    this.#write(this.#chunks.last(ending.finishReason, service))
    if (includeUsage) this.#write(this.#chunks.usage(ending.usage))
    this.#write(SSE_DONE)
    this.#socket.end(
      trailers && settlementTx !== undefined ? { [names.headers.settlementTx]: settlementTx } : {},
    )
  }

  /** Only once committed: before that a refusal is an ordinary answer. */
  fail(refusal: Refusal): void {
    this.#write(sseEvent(errorBody(refusal, this.#options.docsUrl)))
    this.#socket.end({})
  }

  #begin(text: string, head: Chunk['head']): void {
    const { job, response, takeOver, trailers, names } = this.#options
    const { headers } = names
    this.committed = true
    if (response.destroyed) return
    response.writeHead(200, {
      ...takeOver(),
      ...jobHeaders(headers, { jobId: job.jobId, ...head }),
      ...(job.remaining === undefined ? {} : { [headers.creditsRemaining]: String(job.remaining) }),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      ...(trailers ? { trailer: headers.settlementTx } : {}),
    })
    this.#write(this.#chunks.first(text))
  }

  #write(event: string): void {
    this.#wroteAt = this.#options.clock.monotonic()
    this.#socket.write(event)
  }
}
