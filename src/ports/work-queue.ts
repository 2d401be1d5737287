import type { DurationMs, UnixMs } from '../domain/time.ts'

/** Messages that lie in a stream until they are worked off, shared out among all who take of them. */
export interface WorkQueue<Body> {
  take(worker: QueueWorker<Body>): Taking
}

export interface QueueWorker<Body> {
  /** How many more it would hold now. */
  room(): number
  /** Handed over once while it is held here; again, perhaps elsewhere, when its holder died. */
  each(work: Work<Body>): void
}

/** Held until `done` or `later`: nobody else gets it while this process lives. */
export interface Work<Body> {
  readonly body: Body
  /** Its place in the stream: no two messages have the same. */
  readonly sequence: number
  readonly storedAt: UnixMs
  /** From 1: how often it was handed to anybody. */
  readonly handed: number
  /** It leaves the queue. */
  done(): void
  /** Anybody may have it again after this span. */
  later(span: DurationMs): void
}

export interface Taking {
  /** Takes no more; what is held stays so until it is done. */
  stop(): Promise<void>
}
