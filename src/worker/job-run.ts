import {
  Completion_FinishReason,
  Failure_Reason,
  type Offer,
} from '../../proto/gen/svc/worker/v1/worker.ts'
import { toBytes } from '../domain/bytes.ts'
import type { FinishReason } from '../domain/chat.ts'
import { outputHash } from '../domain/hash.ts'
import type { JobId } from '../domain/ids.ts'
import type { Completion } from '../domain/proof.ts'
import { unreachable } from '../domain/result.ts'
import { toUnixMs, unixSeconds } from '../domain/time.ts'
import type { Log } from '../telemetry/log.ts'
import { type Engine, type EngineEnding, EngineFault, type EngineFaultKind } from './engine.ts'
import type { Identity } from './identity.ts'
import { toEngineJob } from './offer.ts'
import type { AnswerStream, Outgoing, ToPool } from './outgoing.ts'
import { WellFormed } from './well-formed.ts'
import { countPromptTokens } from './word-pieces.ts'

export interface JobRunDeps {
  readonly engine: Engine
  readonly identity: Identity
  readonly outgoing: Outgoing
  readonly escrowSeparator: Uint8Array
  readonly log: Log
}

/** Why a run ended before its engine did. */
export type StopReason = 'settle' | 'drop' | 'out_of_time' | 'length'

/** One accepted job: engine to chunks to proof. */
export class JobRun {
  private readonly abort = new AbortController()
  private readonly stream: AnswerStream
  /** As sent; the proof is over these. */
  private readonly texts: string[] = []
  private readonly whole = new WellFormed()
  private tokens = 0
  private stopped: StopReason | undefined

  constructor(
    private readonly jobId: JobId,
    private readonly offer: Offer,
    private readonly deps: JobRunDeps,
  ) {
    this.stream = { jobId, chunks: 0 }
  }

  /**
   * Runs to the end and reports it. Never rejects: a fault in one job is that job's.
   * @param spanMs until the deadline
   */
  async run(spanMs: number): Promise<void> {
    const deadline = setTimeout(() => this.stop('out_of_time'), spanMs)
    try {
      this.deps.outgoing.send(await this.outcome())
    } catch (error) {
      this.deps.log.error({ jobId: this.jobId, err: error }, 'job failed by a fault of the agent')
      this.deps.outgoing.send(this.failure(Failure_Reason.REASON_ENGINE, 'the agent failed'))
    } finally {
      clearTimeout(deadline)
    }
  }

  /** The first reason stays, but for one that makes the result worthless. */
  stop(reason: StopReason): void {
    if (!this.stopped || reason === 'drop') this.stopped = reason
    this.abort.abort()
  }

  private async outcome(): Promise<ToPool> {
    let ending: EngineEnding | undefined
    try {
      ending = await this.generate()
    } catch (error) {
      // An engine may end a stopped run by throwing; that is how it was told to end.
      if (!this.stopped) return this.engineFailure(error)
    }
    this.emit(this.whole.end())
    switch (this.stopped) {
      case 'drop':
        return this.failure(Failure_Reason.REASON_CANCELLED, 'cancelled')
      case 'out_of_time':
        return this.failure(Failure_Reason.REASON_OUT_OF_TIME, 'the deadline passed')
      case 'length':
        return this.completion(ending, 'length')
      case 'settle':
        return this.texts.length === 0
          ? this.failure(Failure_Reason.REASON_CANCELLED, 'cancelled before anything was generated')
          : this.completion(ending, ending?.finishReason ?? 'stop')
      case undefined:
        return ending
          ? this.completion(ending, ending.finishReason)
          : this.failure(Failure_Reason.REASON_ENGINE, 'the engine ended without an ending')
      default:
        return unreachable(this.stopped)
    }
  }

  /** @returns undefined where it was stopped before its end */
  private async generate(): Promise<EngineEnding | undefined> {
    const { engine, outgoing } = this.deps
    const job = toEngineJob(this.offer)
    for await (const piece of engine.generate(job, this.abort.signal)) {
      if (this.abort.signal.aborted) return piece.ending
      this.tokens += piece.tokens
      this.emit(this.whole.push(piece.text))
      if (piece.ending) return piece.ending
      // The upstream did not keep to the cap: what is above it is free, so no more of it.
      if (this.tokens > job.outputTokensMax) this.stop('length')
      await outgoing.ready()
    }
    return undefined
  }

  private emit(text: string): void {
    if (text === '') return
    this.texts.push(text)
    this.deps.outgoing.text(this.stream, text)
  }

  private completion(ending: EngineEnding | undefined, finishReason: FinishReason): ToPool {
    const { identity, escrowSeparator } = this.deps
    const claimed = ending?.usage.completionTokens ?? this.tokens
    const completion: Completion = {
      jobId: this.jobId,
      outputHash: outputHash(this.texts.join('')),
      outputTokens: Math.min(claimed, this.offer.maxOutputTokens),
      completedAt: unixSeconds(toUnixMs(Date.now())),
    }
    const { messages } = toEngineJob(this.offer)
    return {
      $case: 'completion',
      value: {
        jobId: this.jobId,
        outputHash: toBytes(completion.outputHash),
        promptTokens: ending?.usage.promptTokens ?? countPromptTokens(messages),
        outputTokens: completion.outputTokens,
        completedAt: completion.completedAt,
        signature: identity.prove(completion, escrowSeparator),
        finishReason: FINISH_REASONS[finishReason],
        chunks: this.stream.chunks,
      },
    }
  }

  private engineFailure(error: unknown): ToPool {
    const { log } = this.deps
    if (!(error instanceof EngineFault)) throw error
    log.warn({ jobId: this.jobId, kind: error.kind, err: error.cause }, operatorWord(error))
    return this.failure(FAILURES[error.kind], error.message)
  }

  private failure(reason: Failure_Reason, message: string): ToPool {
    return { $case: 'failure', value: { jobId: this.jobId, reason, message } }
  }
}

const FAILURES: Record<EngineFaultKind, Failure_Reason> = {
  context_length: Failure_Reason.REASON_CONTEXT_LENGTH_EXCEEDED,
  invalid_request: Failure_Reason.REASON_INVALID_REQUEST,
  engine: Failure_Reason.REASON_ENGINE,
}

const FINISH_REASONS: Record<FinishReason, Completion_FinishReason> = {
  stop: Completion_FinishReason.FINISH_REASON_STOP,
  length: Completion_FinishReason.FINISH_REASON_LENGTH,
  content_filter: Completion_FinishReason.FINISH_REASON_CONTENT_FILTER,
}

/** What an upstream says of a request may quote the prompt, so only its own troubles are logged. */
const operatorWord = ({ kind, message }: EngineFault): string =>
  kind === 'engine' ? `engine failed: ${message}` : 'engine refused a request'
