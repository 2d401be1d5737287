import { PARTITIONS, SUBJECTS } from '../../src/messages/subjects.ts'
import type { Bus } from '../../src/ports/bus.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Journal } from '../../src/ports/journal.ts'
import { ActorHost } from '../../src/runtime/actor-host.ts'
import { SILENCE_MS } from '../../src/runtime/hosts.ts'
import type { ResourceKind } from '../../src/runtime/ownership.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { type JobKind, jobOfSubject, partitionOfJob } from './actor.ts'

interface Options {
  readonly hostId: string
  readonly kind: JobKind
  readonly bus: Bus
  readonly journal: Journal
  readonly clock: Clock
  readonly log: Log
}

const name = (partition: number) => `p.${partition}`
const numberOf = (resource: string) => Number(resource.slice(2))

/** The 64 partitions of jobs, as something that hosts share out. */
export function jobPartitions({ hostId, ...options }: Options): ResourceKind {
  let appends = 0
  const host = new ActorHost({
    ...options,
    token: () => `${hostId}.${++appends}`,
    commandSubject: SUBJECTS.jobCommands,
    actorOf: jobOfSubject,
    partitionOf: partitionOfJob,
    journalFilter: SUBJECTS.jobJournals,
  })
  return {
    kind: 'job',
    names: Array.from({ length: PARTITIONS }, (_, partition) => name(partition)),
    acquire: async (claims) => {
      const partitions = claims.map((claim) => numberOf(claim.name))
      const from = Math.min(...claims.map((claim) => claim.from))
      await host.acquire(partitions, from)
      if (!claims.some((claim) => claim.seized)) return
      // An owner that was only slow may have begun a job after we had read on. By the end of one
      // silence span it has noticed, so a second reading finds what it left.
      options.clock.after(SILENCE_MS * 2, () => {
        host.rehydrate(partitions, from).catch((error) => {
          options.log.error({ err: error }, 'second reading of seized partitions failed')
        })
      })
    },
    release: (names) => host.release(names.map(numberOf)),
    checkpoints: () =>
      new Map([...host.checkpoints()].map(([partition, from]) => [name(partition), from])),
  }
}
