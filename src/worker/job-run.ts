import {
  Completion_FinishReason,
  Failure_Reason,
  type Offer,
} from '../../proto/gen/svc/worker/v1/worker.ts'
import { toBytes } from '../domain/bytes.ts'
import type { FinishReason } from '../domain/chat.ts'
import { outputHash } from '../domain/hash.ts'
import type { JobId } from '../domain/ids.ts'
import { mostTokensOf } from '../domain/plausible-tokens.ts'
import type { Completion } from '../domain/proof.ts'
import { unreachable } from '../domain/result.ts'
import { toTraceparent } from '../domain/traceparent.ts'
import type { Log } from '../telemetry/log.ts'
import type { Attributes, Span, Traces } from '../telemetry/traces.ts'
import { type Engine, type EngineEnding, EngineFault, type EngineFaultKind } from './engine.ts'
import type { Identity } from './identity.ts'
import { NOT_WRITTEN, type SignedJobs } from './local/signed-jobs.ts'
import { toEngineJob } from './offer.ts'
import type { AnswerStream, Outgoing, ToPool } from './outgoing.ts'
import type { Measured } from './pace.ts'
import { WellFormed } from './well-formed.ts'
import { countPromptTokens } from './word-pieces.ts'

export interface JobRunDeps {
  readonly engine: Engine
  readonly identity: Identity
  readonly outgoing: Outgoing
  readonly escrowSeparator: Uint8Array
  readonly signed: SignedJobs
  readonly log: Log
  readonly traces?: Traces | undefined
}

/** The most a count of the protocol can be. Above it the message could not be written, nor any after it. */
const UINT32_MAX = 2 ** 32 - 1

/** A pool waits for 45 s, in the middle of an answer. */
const SIGN_OF_LIFE_MS = 10_000

/** How a run ended, for those who count. */
export interface RunEnd {
  readonly model: string
  /** Nobody pays for it. */
  readonly isCanary: boolean
  /** Tokens of the completion that was signed; undefined where none was. */
  readonly outputTokens: number | undefined
  /** The engine broke or went away: it may serve nothing at the moment. */
  readonly engineFailed: boolean
  /** Undefined where it was stopped before its own end. */
  readonly measured: Measured | undefined
}

/** Why a run ended before its engine did. */
export type StopReason = 'settle' | 'drop' | 'out_of_time' | 'length'

/** One accepted job: engine to chunks to proof. */
export class JobRun {
  private readonly abort = new AbortController()
  /** As sent; the proof is over its texts. */
  readonly stream: AnswerStream
  private readonly whole = new WellFormed()
  private tokens = 0
  private startedMs = 0
  private spanMs = 0
  private firstTokenMs: number | undefined
  /** When the last chunk was sent. */
  private saidAtMs = 0
  private engineFailed = false
  private stopped: StopReason | undefined
  private isAbandoned = false
  /** Undefined: the job is not traced, or nothing is here. */
  private readonly span: Span | undefined

  constructor(
    private readonly jobId: JobId,
    private readonly offer: Offer,
    private readonly deps: JobRunDeps,
  ) {
    this.stream = { jobId, texts: [] }
    this.span = traceRun(deps.traces, jobId, offer)
  }

  /**
   * Runs to the end and reports it. Never rejects: a fault in one job is that job's.
   * @param spanMs until the deadline
   * @returns what was reported, and what it says to those who count
   */
  async run(spanMs: number): Promise<{ outcome: ToPool; end: RunEnd }> {
    const deadline = setTimeout(() => this.stop('out_of_time'), spanMs)
    this.spanMs = spanMs
    this.startedMs = performance.now()
    try {
      return this.report(await this.outcome())
    } catch (error) {
      this.deps.log.error({ jobId: this.jobId, err: error }, 'job failed by a fault of the agent')
      return this.report(this.failure(Failure_Reason.REASON_ENGINE, 'the agent failed'))
    } finally {
      clearTimeout(deadline)
    }
  }

  private report(outcome: ToPool): { outcome: ToPool; end: RunEnd } {
    if (!this.isAbandoned) this.deps.outgoing.send(outcome)
    this.span?.end(endOf(outcome))
    return { outcome, end: this.ended(outcome) }
  }

  private ended(outcome: ToPool): RunEnd {
    const { model, canary: isCanary } = this.offer
    const { engineFailed } = this
    if (outcome.$case !== 'completion') {
      return { model, isCanary, outputTokens: undefined, engineFailed, measured: undefined }
    }
    const { promptTokens, outputTokens } = outcome.value
    const spentMs = performance.now() - this.startedMs
    const firstTokenMs = this.firstTokenMs ?? spentMs
    const measured = {
      promptTokens,
      firstTokenMs,
      outputTokens,
      generationMs: spentMs - firstTokenMs,
    }
    return {
      model,
      isCanary,
      outputTokens,
      engineFailed,
      measured: this.stopped ? undefined : measured,
    }
  }

  /** The first reason stays, but for one that makes the result worthless. */
  stop(reason: StopReason): void {
    if (!this.stopped || reason === 'drop') this.stopped = reason
    this.abort.abort()
  }

  /** Ends it without another word to the pool, which has given it up. */
  abandon(): void {
    this.isAbandoned = true
    this.stop('drop')
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
        return this.stream.texts.length === 0
          ? this.failure(Failure_Reason.REASON_CANCELLED, 'cancelled before anything was generated')
          : this.completion(ending, ending?.finishReason ?? 'length')
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
      if (piece.text === '') this.showLife()
      if (piece.ending) return piece.ending
      // The upstream did not keep to the cap: what is above it is free, so no more of it.
      if (this.tokens > job.outputTokensMax) this.stop('length')
      await outgoing.ready()
    }
    return undefined
  }

  private emit(text: string): void {
    if (text === '' || this.isAbandoned) return
    if (this.firstTokenMs === undefined) {
      this.firstTokenMs = performance.now() - this.startedMs
      this.span?.event('first text')
    }
    this.saidAtMs = performance.now()
    this.deps.outgoing.text(this.stream, text)
  }

  /** A model may think on after its first words. What it thinks is not sent, and a pool would take it for dead. */
  private showLife(): void {
    const silentMs = performance.now() - this.saidAtMs
    if (this.firstTokenMs === undefined || silentMs < SIGN_OF_LIFE_MS || this.isAbandoned) return
    this.saidAtMs = performance.now()
    this.deps.outgoing.signOfLife(this.stream)
  }

  /** The pool's time, which the deadline is given in: this machine's clock may be wrong, or be set meanwhile. */
  private poolSeconds(): number {
    const startedAt = this.offer.deadlineAt - this.spanMs
    return Math.max(0, Math.floor((startedAt + performance.now() - this.startedMs) / 1_000))
  }

  private completion(ending: EngineEnding | undefined, finishReason: FinishReason): ToPool {
    const { identity, escrowSeparator } = this.deps
    const text = this.stream.texts.join('')
    // An upstream may count what it never sent; a pool takes no such claim.
    const claimed = Math.min(ending?.usage.completionTokens ?? this.tokens, mostTokensOf(text))
    const completion: Completion = {
      jobId: this.jobId,
      outputHash: outputHash(text),
      outputTokens: Math.min(claimed, this.offer.maxOutputTokens),
      completedAt: this.poolSeconds(),
    }
    // Two different completions of one job cost stake, and no job is worth that.
    const refused = this.claim(completion)
    if (refused) return this.failure(Failure_Reason.REASON_ENGINE, refused)
    const { messages } = toEngineJob(this.offer)
    return {
      $case: 'completion',
      value: {
        jobId: this.jobId,
        outputHash: toBytes(completion.outputHash),
        promptTokens: Math.min(
          ending?.usage.promptTokens ?? countPromptTokens(messages),
          UINT32_MAX,
        ),
        outputTokens: completion.outputTokens,
        completedAt: completion.completedAt,
        signature: identity.prove(completion, escrowSeparator),
        finishReason: FINISH_REASONS[finishReason],
        chunks: this.stream.texts.length,
      },
    }
  }

  /** @returns why it may not be signed */
  private claim(completion: Completion): string | undefined {
    const { signed, log } = this.deps
    try {
      return signed.claim(completion) ? undefined : 'another answer to this job is signed'
    } catch (error) {
      log.error({ jobId: this.jobId, err: error }, NOT_WRITTEN)
      return 'the agent cannot write down what it signs'
    }
  }

  private engineFailure(error: unknown): ToPool {
    const { log } = this.deps
    if (!(error instanceof EngineFault)) throw error
    this.engineFailed = isEngines(error)
    log.warn({ jobId: this.jobId, kind: error.kind, err: error.cause }, operatorWord(error))
    return this.failure(FAILURES[error.kind], error.message)
  }

  private failure(reason: Failure_Reason, message: string): ToPool {
    return { $case: 'failure', value: { jobId: this.jobId, reason, message } }
  }
}

function traceRun(traces: Traces | undefined, jobId: JobId, offer: Offer): Span | undefined {
  const parent = traces && offer.traceparent && toTraceparent(offer.traceparent)
  if (!traces || !parent) return undefined
  return traces.begin('worker job', parent, { 'svc.job_id': jobId, 'svc.model': offer.model })
}

const endOf = (outcome: ToPool): Attributes =>
  outcome.$case === 'completion'
    ? { 'svc.tokens': outcome.value.outputTokens }
    : { 'error.type': outcome.$case === 'failure' ? Failure_Reason[outcome.value.reason] : 'none' }

const FAILURES: Record<EngineFaultKind, Failure_Reason> = {
  context_length: Failure_Reason.REASON_CONTEXT_LENGTH_EXCEEDED,
  invalid_request: Failure_Reason.REASON_INVALID_REQUEST,
  engine: Failure_Reason.REASON_ENGINE,
  overloaded: Failure_Reason.REASON_OVERLOADED,
}

const FINISH_REASONS: Record<FinishReason, Completion_FinishReason> = {
  stop: Completion_FinishReason.FINISH_REASON_STOP,
  length: Completion_FinishReason.FINISH_REASON_LENGTH,
  content_filter: Completion_FinishReason.FINISH_REASON_CONTENT_FILTER,
}

/** What an upstream says of a request may quote the prompt, so only its own troubles are logged. */
const operatorWord = (fault: EngineFault): string =>
  isEngines(fault) ? `engine failed: ${fault.message}` : 'engine refused a request'

const isEngines = ({ kind }: EngineFault): boolean => kind === 'engine' || kind === 'overloaded'
