import type { JobCommand } from '../../src/messages/job.ts'
import { mayCommand } from '../../src/messages/job-senders.ts'
import { PARTITIONS } from '../../src/messages/partition-count.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import type { Bus } from '../../src/ports/bus.ts'
import { type Clock, pause } from '../../src/ports/clock.ts'
import type { Journal } from '../../src/ports/journal.ts'
import { ActorHost } from '../../src/runtime/actor-host.ts'
import type { Follower } from '../../src/runtime/follower.ts'
import { SILENCE_MS } from '../../src/runtime/hosts.ts'
import type { ResourceKind } from '../../src/runtime/ownership.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { type JobKind, jobOfSubject, partitionOfJob } from './actor.ts'
import type { Job } from './state.ts'

interface Options {
  readonly hostId: string
  readonly kind: JobKind
  readonly bus: Bus
  readonly journal: Journal
  readonly clock: Clock
  readonly log: Log
  readonly views: JobViewsFollower
  readonly facts: JobFactsFollower
  readonly meter: JobsMeter
  /** Undefined: nothing is traced. */
  readonly traces?: JobsMeter | undefined
}

/** Keeps the views of jobs. */
export interface JobViewsFollower extends Follower<Job> {
  /** Has the view of this job written at once. Undefined: it is, or cannot be now. */
  shown(jobId: string): Promise<void> | undefined
  /** Resolves when all views are written, or could not be soon. */
  drain(): Promise<void>
}

/** Tells the world outside what happens to jobs. */
export interface JobFactsFollower extends Follower<Job> {
  /** Resolves when all is told, or could not be soon. */
  drain(): Promise<void>
}

/** Counts jobs for as long as they live here. */
export interface JobsMeter extends Follower<Job> {
  /** What lives in these partitions lives elsewhere from now on. */
  released(partitions: readonly number[]): void
}

/** On `SUBJECTS.partitionsLeft`, from a host with whom nothing is under way there any more. */
interface PartitionsLeft {
  readonly partitions: readonly number[]
  /** The sequence from which on its last records are. */
  readonly from: number
}

/** Mark of the checkpoints below which the views hold every job. */
export const VIEWED = 'viewed'

/** What a caller is told of a job in answer to these, its list shows from then on. */
const SHOWN_TO_CALLERS: ReadonlySet<JobCommand['type']> = new Set(['GetJob', 'DisputeJob'])

const READ_AGAIN_MS = 1_000

const name = (partition: number) => `p.${partition}`
export const PARTITION_NAMES = Array.from({ length: PARTITIONS }, (_, i) => name(i))
const VIEWED_NAMES = PARTITION_NAMES.map((each) => `${each}.${VIEWED}`)
const numberOf = (resource: string) => Number(resource.slice(2))

/** The 64 partitions of jobs, as something that hosts share out. */
export function jobPartitions({ hostId, views, facts, ...options }: Options): ResourceKind {
  const { bus, clock, log, meter, traces } = options
  const counted = traces ? both(meter, traces) : meter
  let appends = 0
  const host = new ActorHost({
    ...options,
    token: () => `${hostId}.${++appends}`,
    commandSubject: SUBJECTS.jobCommands,
    accepts: mayCommand,
    actorOf: jobOfSubject,
    partitionOf: partitionOfJob,
    follower: both(both(views, facts), counted),
    answerAfter: (id, { type }) => (SHOWN_TO_CALLERS.has(type) ? views.shown(id) : undefined),
  })
  const read = async (partitions: readonly number[], from: number) => {
    while (partitions.some((partition) => host.has(partition))) {
      try {
        return await host.rehydrate(partitions, from)
      } catch (error) {
        log.warn({ err: error }, 'partitions taken over cannot be read, trying again')
        await pause(clock, READ_AGAIN_MS)
      }
    }
  }
  // From a host that lost them while it stood still: its last records may be newer than our reading.
  bus.subscribe(SUBJECTS.partitionsLeft, (message) => {
    const { partitions, from } = message as PartitionsLeft
    void read(
      partitions.filter((partition) => host.has(partition)),
      from,
    )
  })
  return {
    kind: 'job',
    names: PARTITION_NAMES,
    acquire: async (claims) => {
      const partitions = claims.map((claim) => numberOf(claim.name))
      const from = Math.min(...claims.map((claim) => claim.from))
      await host.acquire(partitions)
      const letGo = host.hold(partitions, from)
      // Other partitions wait to be placed: nobody waits for the reading.
      void read(partitions, from).then(() => {
        if (!claims.some((claim) => claim.seized)) letGo()
        // An owner that was only slow may have begun a job after we had read on. By the end of one
        // silence span it has mostly noticed, so a second reading finds what it left; one that stood
        // still for longer says so itself.
        else clock.after(SILENCE_MS * 2, () => void read(partitions, from).then(letGo))
      })
    },
    release: async (names) => {
      const partitions = names.map(numberOf)
      const checkpoints = host.checkpoints()
      await host.release(partitions)
      const from = Math.min(...partitions.map((each) => checkpoints.get(each) ?? 1))
      bus.publish(SUBJECTS.partitionsLeft, { partitions, from } satisfies PartitionsLeft)
      meter.released(partitions)
      traces?.released(partitions)
      await Promise.all([views.drain(), facts.drain()])
    },
    checkpoints: () => {
      const all = new Map<string, number>()
      for (const [partition, from] of host.checkpoints()) all.set(PARTITION_NAMES[partition]!, from)
      for (const [partition, upTo] of host.copied()) all.set(VIEWED_NAMES[partition]!, upTo)
      return all
    },
  }
}

/** What one of them has not copied yet, both have not. */
const both = (one: Follower<Job>, other: Follower<Job>): Follower<Job> => ({
  changed: (id, sequence, job, how) => {
    one.changed(id, sequence, job, how)
    other.changed(id, sequence, job, how)
  },
  get oldestPending() {
    return Math.min(one.oldestPending, other.oldestPending)
  },
})
