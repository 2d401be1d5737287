import type { Address, JobId, TxHash } from '../domain/ids.ts'
import type { EdgeEnding } from './job-reply.ts'

/**
 * What reaches a request that waits in an edge. Messages of one turn of the event loop travel
 * together, for any number of jobs: the subject carries `EdgeMessage[]`.
 */
export type EdgeMessage = Chunk | SettlementSent | EdgeEnding

/**
 * Request on an edge's inbox, from a job whose pool has gone; answered with true where some text of the
 * job has reached a caller there: then another worker cannot begin anew. Where none has, none of this
 * attempt will: what its pool says later is dropped.
 */
export interface AskTextSent {
  readonly type: 'ask_text_sent'
  readonly jobId: JobId
  /** Absent: from a host of an earlier version. */
  readonly attempt?: number
}

/** Request on `SUBJECTS.edgePrompt`, from a pool that was offered a job without its prompt; answered with the ChatRequest, null where nobody waits. */
export interface AskPrompt {
  readonly jobId: JobId
}

/** A numbered piece of the answer, from the pool. */
export interface Chunk {
  readonly type: 'chunk'
  readonly jobId: JobId
  /** A later attempt replaces an earlier one of which nothing has reached the caller. */
  readonly attempt: number
  /** From 0; a gap is seen, and mended from the stored answer at the end. */
  readonly seq: number
  readonly text: string
  /** On chunk 0 only: what the response headers tell. */
  readonly head?: { readonly worker: Address; readonly escrowTx: TxHash }
}

/** From the settle lane: the settlement is signed, stored and broadcast. */
export interface SettlementSent {
  readonly type: 'settlement_sent'
  readonly jobId: JobId
  readonly tx: TxHash
}

/**
 * On `SUBJECTS.edgesLeft`, from an edge whose callers of a job that it joined have all left: an edge
 * where others still wait, or come back to, joins the job in its place, so that it is not cancelled.
 */
export interface CallersLeft {
  readonly jobId: JobId
  /** The inbox of the edge that they left. */
  readonly replyTo: string
}
