import type { Offer } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { Failure_Reason } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { toJobId } from '../../../src/domain/ids.ts'
import { unixSeconds } from '../../../src/domain/time.ts'
import type { Identity } from '../../../src/worker/identity.ts'
import type { World } from '../world.ts'
import { countOf, FINISH_REASON_LENGTH, FINISH_REASON_STOP, proofOf } from './signer.ts'
import type { FromWorker } from './stream.ts'
import { answerPieces } from './words.ts'
import type { JobPlan, Lie } from './worker-plan.ts'

export interface RunOptions {
  readonly world: World
  readonly identity: Identity
  readonly escrowSeparator: Uint8Array
  readonly offer: Offer
  readonly plan: JobPlan
  say(message: FromWorker): void
  /** So many pieces are out. */
  progressed(pieces: number): void
  /** It has said its last word, and perhaps signed it. */
  ended(signedText: string | undefined): void
}

/** With the others the proof itself is right. */
const LIES_IN_PROOFS: ReadonlySet<Lie> = new Set([
  'hash',
  'signature',
  'other_job',
  'tokens',
  'chunks',
  'clock',
  'malformed',
])

const FAILURES = {
  engine: Failure_Reason.REASON_ENGINE,
  overloaded: Failure_Reason.REASON_OVERLOADED,
}

/** One job at one worker: text, piece by piece, and the proof of it. */
export class JobRun {
  readonly #pieces: readonly string[]
  #said = 0
  #end: FromWorker | undefined
  #cancel: () => void = () => {}

  constructor(private readonly options: RunOptions) {
    const { offer, plan, world, identity } = options
    const about = `${offer.jobId}@${identity.address.slice(2, 8)}`
    const question = offer.messages.at(-1)?.content ?? ''
    this.#pieces = answerPieces({ about, question }, plan.pieces, world.random)
  }

  begin(): void {
    const { plan, say, offer } = this.options
    if (plan.lie !== 'unaccepted') say({ $case: 'accept', value: { jobId: offer.jobId } })
    this.#next(plan.firstMs)
  }

  /** Over another stream: all from piece `nextSeq` on once more. */
  resume(nextSeq: number): void {
    const { say, offer } = this.options
    say({ $case: 'accept', value: { jobId: offer.jobId } })
    for (let seq = nextSeq; seq < this.#said; seq++) this.#sayPiece(seq)
    if (this.#end) say(this.#end)
  }

  /** @param settle prove what there is */
  stop(settle: boolean): void {
    if (this.#end) return
    if (settle && this.#said > 0) this.#complete(FINISH_REASON_STOP)
    else this.#fail(Failure_Reason.REASON_CANCELLED)
  }

  /** Without another word. */
  drop(): void {
    this.#cancel()
  }

  #next(ms: number): void {
    this.#cancel = this.options.world.after(ms, () => this.#step())
  }

  #step(): void {
    const { plan, progressed } = this.options
    if (this.#said < this.#pieces.length) {
      this.#sayPiece(plan.lie === 'gap' && this.#said > 0 ? this.#said + 1 : this.#said)
      if (plan.repeatsPiece) this.#sayPiece(this.#said)
      this.#said++
      this.#next(plan.pieceMs)
      progressed(this.#said)
      return
    }
    if (plan.fails === 'no') this.#complete(FINISH_REASON_STOP)
    else this.#fail(FAILURES[plan.fails])
  }

  #sayPiece(seq: number): void {
    const { offer, say } = this.options
    const text = this.#pieces[Math.min(seq, this.#pieces.length - 1)] ?? ''
    say({ $case: 'chunks', value: { chunks: [{ jobId: offer.jobId, seq, text }] } })
  }

  #complete(finishReason: number): void {
    const { plan, say, world } = this.options
    this.#end = this.#proof(this.#pieces.slice(0, this.#said), finishReason, true)
    say(this.#end)
    if (plan.again !== 'no') {
      const again =
        plan.again === 'same' ? this.#end : this.#proof(['another answer'], FINISH_REASON_LENGTH)
      world.after(world.random.between(0, 3_000), () => say(again))
    }
  }

  #proof(pieces: readonly string[], finishReason: number, isEnd = false): FromWorker {
    const { offer, identity, escrowSeparator, plan, world, ended } = this.options
    this.#cancel()
    const text = pieces.join('')
    const answer = {
      jobId: toJobId(offer.jobId),
      text,
      pieces: pieces.length,
      outputTokens: countOf(text, offer.maxOutputTokens, world.random),
      completedAt: unixSeconds(world.now()),
      finishReason,
    }
    if (isEnd) ended(plan.lie && LIES_IN_PROOFS.has(plan.lie) ? undefined : text)
    return {
      $case: 'completion',
      value: proofOf(answer, identity, escrowSeparator, isEnd ? plan.lie : undefined),
    }
  }

  #fail(reason: Failure_Reason): void {
    const { offer, say, ended } = this.options
    this.#cancel()
    this.#end = { $case: 'failure', value: { jobId: offer.jobId, reason, message: 'no' } }
    ended(undefined)
    say(this.#end)
  }
}
