import { rests } from '../../actors/job/due.ts'
import type { Job, JobEvent } from '../../actors/job/state.ts'
import { viewOf } from '../../actors/job/view.ts'
import { decode } from '../../src/bus/codec.ts'
import type { JobView } from '../../src/messages/job.ts'
import type { JournalRecord } from '../../src/ports/journal.ts'
import type { ActorRecord } from '../../src/runtime/actor.ts'
import type { SimNats } from './nats/server.ts'

/** A job as the journal has it. */
export type JournalledJob = JobView & { readonly rests: boolean }

/** All jobs of the journal as their last records have them; tombstones are none. */
export function jobsOf(nats: SimNats): readonly JournalledJob[] {
  const last = new Map<string, Uint8Array>()
  for (const { subject, data } of nats.stream('JOB').messages.values()) last.set(subject, data)
  return [...last.values()].flatMap((data) => {
    const { body } = decode(data) as JournalRecord
    const { state } = body as ActorRecord<Job, JobEvent>
    return state.status === 'abandoned' ? [] : [{ ...viewOf(state), rests: rests(state) }]
  })
}

/** Writes into the history what the journal takes. */
export function tellJournal(nats: SimNats): void {
  const stream = nats.stream('JOB')
  stream.onStored(() => {
    const { subject, data, sequence } = stream.at(stream.lastSequence)
    const { body, token } = decode(data) as JournalRecord
    const { state, events } = body as ActorRecord<Job, JobEvent>
    const id = subject.slice(subject.lastIndexOf('.') + 1)
    const what = events.map(({ type }) => type).join(' ')
    nats.world.history.add('journal', `${sequence} ${id} ${what}: ${state.status} (${token})`)
  })
}
