import { ErrorCode, NatsError, RetentionPolicy, type StreamConfig } from 'nats'

export interface Stored {
  readonly sequence: number
  readonly subject: string
  readonly data: Uint8Array
  /** Unix milliseconds. */
  readonly at: number
}

export interface StoreOptions {
  readonly expect?: { readonly lastSubjectSequence?: number }
  readonly msgID?: string
}

/** One JetStream stream on the server: survives everything. */
export class SimStream {
  readonly messages = new Map<number, Stored>()
  lastSequence = 0
  readonly isWorkQueue: boolean
  readonly #name: string
  readonly #room: () => void
  readonly #lastOfSubject = new Map<string, number>()
  readonly #seen = new Map<string, { readonly sequence: number; readonly at: number }>()
  readonly #duplicateWindowMs: number
  readonly #watchers: (() => void)[] = []
  readonly #once: (() => void)[] = []

  /** @param room throws where there is none */
  constructor(
    { name, retention, duplicate_window }: Partial<StreamConfig>,
    room: () => void = () => {},
  ) {
    this.#room = room
    this.#name = name!
    this.isWorkQueue = retention === RetentionPolicy.Workqueue
    this.#duplicateWindowMs = duplicate_window ? duplicate_window / 1e6 : 120_000
  }

  get firstSequence(): number {
    const [first] = this.messages.keys()
    return first ?? this.lastSequence + 1
  }

  /** Of what is in the messages. */
  get bytes(): number {
    let bytes = 0
    for (const { data } of this.messages.values()) bytes += data.length
    return bytes
  }

  /** How many messages each subject has that `matches`. */
  counts(matches: (subject: string) => boolean): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const { subject } of this.messages.values()) {
      if (matches(subject)) counts[subject] = (counts[subject] ?? 0) + 1
    }
    return counts
  }

  /** As the server does: de-duplication runs before the comparison of sequences, and both before it looks for room. */
  store(subject: string, data: Uint8Array, at: number, options: StoreOptions) {
    const { msgID, expect } = options
    const seen = msgID === undefined ? undefined : this.#seen.get(msgID)
    if (seen && at - seen.at < this.#duplicateWindowMs) {
      return { stream: this.#name, seq: seen.sequence, duplicate: true }
    }
    const expected = expect?.lastSubjectSequence
    const last = this.#lastOfSubject.get(subject) ?? 0
    if (expected !== undefined && expected !== last) throw wrongLastSequence(last)
    this.#room()
    const sequence = ++this.lastSequence
    this.messages.set(sequence, { sequence, subject, data, at })
    this.#lastOfSubject.set(subject, sequence)
    if (msgID !== undefined) this.#seen.set(msgID, { sequence, at })
    for (const watch of [...this.#watchers, ...this.#once.splice(0)]) watch()
    return { stream: this.#name, seq: sequence, duplicate: false }
  }

  last(subject: string): Stored {
    return this.at(this.#lastOfSubject.get(subject) ?? 0)
  }

  at(sequence: number): Stored {
    const found = this.messages.get(sequence)
    if (!found) throw apiError(10_037, 404, 'no message found')
    return found
  }

  /** The first from `sequence` on that `matches`. */
  next(sequence: number, matches: (subject: string) => boolean): Stored {
    for (let at = Math.max(sequence, 1); at <= this.lastSequence; at++) {
      const found = this.messages.get(at)
      if (found && matches(found.subject)) return found
    }
    throw apiError(10_037, 404, 'no message found')
  }

  remove(sequence: number): void {
    this.messages.delete(sequence)
  }

  onStored(call: () => void): void {
    this.#watchers.push(call)
  }

  onNextStored(call: () => void): void {
    this.#once.push(call)
  }
}

export const wrongLastSequence = (last: number) =>
  apiError(10_071, 400, `wrong last sequence: ${last}`)

export function apiError(code: number, status: number, description: string): NatsError {
  const error = new NatsError(description, `${status}`)
  error.api_error = { code: status, err_code: code, description }
  return error
}

export const timedOut = () => new NatsError('TIMEOUT', ErrorCode.Timeout)
