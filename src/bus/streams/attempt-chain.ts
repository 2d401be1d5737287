import type { JetStreamClient, JetStreamManager, StoredMsg } from 'nats'
import { keepNewest } from '../../domain/newest.ts'
import { isMessageNotFound, isWrongLastSequence } from '../api-error.ts'
import { decode, encode } from '../codec.ts'
import type { StreamName } from './streams.ts'

const PUBLISH_TIMEOUT_MS = 2_000
const SUBJECTS_MAX = 10_000

/** What a link holds beside its own content: the sequence of the one before it, 0 for the first. */
export interface Linked {
  readonly previous: number
}

interface Options {
  readonly stream: StreamName
  readonly js: JetStreamClient
  readonly jsm: JetStreamManager
}

/**
 * Messages of a subject, each of which names the one before it. A stream is read forwards only; along
 * its chain a subject is read from its newest message backwards, at one read a message, however many
 * messages the stream holds.
 */
export class Chains {
  readonly #options: Options
  /** The newest sequence of subjects that were written lately, from the longest unused on. */
  readonly #newest = new Map<string, number>()
  /** One write a subject at a time in this process: they would only get in each other's way. */
  readonly #writing = new Map<string, Promise<unknown>>()

  constructor(options: Options) {
    this.#options = options
  }

  /** @returns its sequence @throws it may or may not be stored */
  append(subject: string, content: object): Promise<number> {
    const before = this.#writing.get(subject) ?? Promise.resolve()
    const written = before.then(() => this.#append(subject, content))
    const over = written
      .catch(() => {}) // whoever asked for that one is told
      .then(() => {
        if (this.#writing.get(subject) === over) this.#writing.delete(subject)
      })
    this.#writing.set(subject, over)
    return written
  }

  async #append(subject: string, content: object): Promise<number> {
    for (;;) {
      const previous = this.#newest.get(subject) ?? (await this.newest(subject))
      // Forgotten until it is known what became of the write.
      this.#newest.delete(subject)
      try {
        const { seq } = await this.#options.js.publish(subject, encode({ ...content, previous }), {
          expect: { lastSubjectSequence: previous },
          timeout: PUBLISH_TIMEOUT_MS,
        })
        this.#remember(subject, seq)
        return seq
      } catch (error) {
        // Another process has written meanwhile: its message is the one before ours.
        if (!isWrongLastSequence(error)) throw error
      }
    }
  }

  /** @returns the sequence of the newest message, 0 where there is none */
  async newest(subject: string): Promise<number> {
    return (await this.last(subject))?.sequence ?? 0
  }

  last<T>(subject: string): Promise<Kept<T> | undefined> {
    return this.#read<T>({ last_by_subj: subject })
  }

  /** @returns undefined where it has aged out, never was, or is none of these subjects */
  async at<T>(sequence: number, ...subjects: readonly string[]): Promise<Kept<T> | undefined> {
    if (!Number.isSafeInteger(sequence) || sequence < 1) return undefined
    const found = await this.#read<T>({ seq: sequence })
    return found && subjects.includes(found.subject) ? found : undefined
  }

  /** The link at `cursor`, or the newest. @returns undefined as for `at` */
  from<T>(subject: string, cursor: string | undefined): Promise<Kept<T> | undefined> {
    return cursor === undefined ? this.last<T>(subject) : this.at<T>(Number(cursor), subject)
  }

  /**
   * Along the chain, from the link at `cursor` on, or from the newest.
   * @param most links, one at least
   * @returns the links, newest first, and where to go on; null: there are no more
   */
  async walk<T extends Linked>(
    subject: string,
    cursor: string | undefined,
    most: number,
  ): Promise<Walked<T>> {
    const links: Kept<T>[] = []
    let link = await this.from<T>(subject, cursor)
    while (link) {
      links.push(link)
      const { previous } = link.content
      if (links.length === most) return { links, cursor: previous === 0 ? null : String(previous) }
      link = await this.at<T>(previous, subject)
    }
    return { links, cursor: null }
  }

  /** Asked of the stream's leader, never of a replica that may lag behind. */
  async #read<T>(query: { seq: number } | { last_by_subj: string }): Promise<Kept<T> | undefined> {
    const { jsm, stream } = this.#options
    try {
      return kept<T>(await jsm.streams.getMessage(stream, query))
    } catch (error) {
      if (isMessageNotFound(error)) return undefined
      throw error
    }
  }

  #remember(subject: string, sequence: number): void {
    keepNewest(this.#newest, subject, sequence, SUBJECTS_MAX)
  }
}

export interface Walked<T> {
  readonly links: readonly Kept<T>[]
  readonly cursor: string | null
}

export interface Kept<T> {
  readonly sequence: number
  readonly subject: string
  readonly content: T
}

const kept = <T>({ seq, subject, data }: StoredMsg): Kept<T> => ({
  sequence: seq,
  subject,
  content: decode(data) as T,
})
