import {
  type JobKind,
  type JobPorts,
  jobKind,
  jobOfSubject,
  partitionOfJob,
} from '../../../actors/job/actor.ts'
import { Edges } from '../../../actors/job/edges.ts'
import { Pools } from '../../../actors/job/pools.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { ActorHost } from '../../../src/runtime/actor-host.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import type { MemoryJournal } from '../../fakes/chain/memory-journal.ts'
import { RecordingLedger } from '../../fakes/chain/recording-ledger.ts'
import { disputeWindowMs } from './given.ts'

/** Jobs over fakes of all that they touch. Keys are believed unless told, and nobody hears of wallets. */
export function stageJobs({
  bus = new JobBus(),
  clock = new ManualClock(),
  keyProofs = { holds: () => true },
  joinClaims = { claim: async () => undefined },
}: {
  readonly bus?: JobBus
  readonly clock?: ManualClock
  readonly keyProofs?: JobPorts['keyProofs']
  readonly joinClaims?: JobPorts['joinClaims']
} = {}) {
  const ledger = new RecordingLedger()
  const pools = new Pools(bus, clock)
  const ports = { bus, clock, ledger, pools }
  const around = { edges: new Edges(bus, clock), keyProofs, joinClaims, isWatched: () => false }
  const kind = jobKind({ ...ports, ...around }, { disputeWindowMs })
  return { bus, clock, ledger, pools, kind }
}

/** Where they live; of no partition yet. */
export function hostJobs(
  { kind, bus, clock }: { kind: JobKind; bus: JobBus; clock: ManualClock },
  journal: MemoryJournal,
) {
  let appends = 0
  return new ActorHost({
    ...{ kind, bus, journal, clock, log: makeLog('test', 'silent') },
    token: () => `host.${++appends}`,
    commandSubject: SUBJECTS.jobCommands,
    actorOf: jobOfSubject,
    partitionOf: partitionOfJob,
  })
}
