import type { StoredMsg } from 'nats'
import type { Address } from '../../domain/ids.ts'
import { toUnixMs } from '../../domain/time.ts'
import type { Fact } from '../../messages/fact.ts'
import { SUBJECTS } from '../../messages/subjects.ts'
import type { FactCursor, FactReader, StoredFact } from '../../ports/fact-reader.ts'
import { isMessageNotFound } from '../api-error.ts'
import { decode } from '../codec.ts'
import type { StreamReader } from './read-stream.ts'

/** Stream FACT, read message by message: no consumer that could be left behind. */
export function makeFactReader({ stream, jsm }: Pick<StreamReader, 'stream' | 'jsm'>): FactReader {
  const newest = async (): Promise<number> => (await jsm.streams.info(stream)).state.last_seq

  const nextOf = async (subject: string, from: number): Promise<StoredFact | undefined> => {
    try {
      // Asked of the stream's leader: a replica that lags behind would hide a fact for ever.
      const query = { seq: from, next_by_subj: subject }
      return toFact(await jsm.streams.getMessage(stream, query))
    } catch (error) {
      if (isMessageNotFound(error)) return undefined
      throw error
    }
  }

  return {
    newest,
    since: async (at) => {
      const { state } = await jsm.streams.info(stream)
      let [low, high] = [state.first_seq, state.last_seq + 1]
      // The first place whose fact is not older.
      while (low < high) {
        const middle = Math.floor((low + high) / 2)
        const found = await nextOf(SUBJECTS.facts, middle)
        if (found && found.storedAt < at) low = found.sequence + 1
        else high = middle
      }
      return low
    },
    open: (wallet, after) => makeCursor(wallet, after),
  }

  function makeCursor(wallet: Address, after: number): FactCursor {
    const heads: Head[] = [SUBJECTS.factsOf(wallet), SUBJECTS.workerFacts].map((subject) => ({
      subject,
      fact: undefined,
      lookedUpTo: 0,
    }))
    let position = after
    /**
     * What was the newest when it was last asked. What is newer is left alone: an older one of the
     * other subject might be stored by the time it is read.
     */
    let bound = after

    const look = async (head: Head): Promise<void> => {
      if (head.fact || head.lookedUpTo >= bound) return
      head.fact = await nextOf(head.subject, position + 1)
      head.lookedUpTo = bound
    }

    return {
      get position() {
        return position
      },
      next: async () => {
        if (position >= bound) {
          bound = await newest()
          if (bound < position) {
            position = bound
            // What was found beyond the end is of the stream before this one as well.
            for (const head of heads) Object.assign(head, { fact: undefined, lookedUpTo: bound })
          }
        }
        await Promise.all(heads.map(look))
        const [first] = heads
          .filter(({ fact }) => fact && fact.sequence <= bound)
          .sort((a, b) => a.fact!.sequence - b.fact!.sequence)
        const fact = first?.fact
        position = fact?.sequence ?? bound
        if (first) Object.assign(first, { fact: undefined, lookedUpTo: position })
        return fact
      },
    }
  }
}

/** The oldest fact of one subject that has not been read. */
interface Head {
  readonly subject: string
  fact: StoredFact | undefined
  /** Without a fact: there is none up to here. */
  lookedUpTo: number
}

const toFact = ({ seq, time, data }: StoredMsg): StoredFact => ({
  sequence: seq,
  storedAt: toUnixMs(time.getTime()),
  fact: decode(data) as Fact,
})
