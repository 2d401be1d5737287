import { isDeepStrictEqual } from 'node:util'
import { rests } from '../../actors/job/due.ts'
import type { JobEvent } from '../../actors/job/events.ts'
import { evolve, type Job } from '../../actors/job/state.ts'
import { viewOf } from '../../actors/job/view.ts'
import { decode, encode } from '../../src/bus/codec.ts'
import type { JobView } from '../../src/messages/job-view.ts'
import type { JournalRecord } from '../../src/ports/journal.ts'
import type { ActorRecord } from '../../src/runtime/actor.ts'
import type { SimNats } from './nats/server.ts'
import type { SimStream } from './nats/stream.ts'

/** A job as the journal has it. */
export type JournalledJob = JobView & { readonly rests: boolean }

/** All jobs of the journal as their last records have them; tombstones are none. */
export function jobsOf(nats: SimNats): readonly JournalledJob[] {
  const last = new Map<string, Uint8Array>()
  for (const { subject, data } of nats.stream('JOB').messages.values()) last.set(subject, data)
  return [...last.values()].flatMap(jobIn)
}

/** By record: who looks whether all rests asks every second, and most records stay the same. */
const read = new WeakMap<Uint8Array, readonly JournalledJob[]>()

function jobIn(data: Uint8Array): readonly JournalledJob[] {
  const known = read.get(data)
  if (known) return known
  const { body } = decode(data) as JournalRecord
  const { state } = body as ActorRecord<Job, JobEvent>
  const found = state.status === 'abandoned' ? [] : [{ ...viewOf(state), rests: rests(state) }]
  read.set(data, found)
  return found
}

/**
 * Writes into the history what the journal takes. Each state must follow from the one before it, whoever
 * wrote that: an owner that lost its place would go on from an older one.
 */
export function followJournal(nats: SimNats): void {
  const stream = nats.stream('JOB')
  const states = new Map<string, Job>()
  stream.onStored(() => {
    const { subject, data, sequence } = stream.at(stream.lastSequence)
    const { body, token } = decode(data) as JournalRecord
    const { state, events } = body as ActorRecord<Job, JobEvent>
    const id = subject.slice(subject.lastIndexOf('.') + 1)
    const what = events.map(({ type }) => type).join(' ')
    nats.world.history.add('journal', `${sequence} ${id} ${what}: ${state.status} (${token})`)
    if (!follows(states.get(id), events, state)) {
      nats.world.fail(`journal of ${id}: ${sequence} does not follow from the record before it`)
    }
    states.set(id, state)
  })
}

function follows(before: Job | undefined, events: readonly JobEvent[], after: Job): boolean {
  try {
    const next = events.reduce<Job | undefined>(evolve, before)
    return isDeepStrictEqual(decode(encode(next)), after)
  } catch {
    // An event that cannot be, in the state before it.
    return false
  }
}

/** The id of the host that made the last append. */
export function lastWriter(stream: SimStream): string {
  const { token } = decode(stream.at(stream.lastSequence).data) as JournalRecord
  return token.slice(0, token.lastIndexOf('.'))
}
