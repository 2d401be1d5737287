import type { Test } from 'uvu'
import { type LaneActor, makeLane } from '../../../actors/settlement/lane.ts'
import { makeLaneMetrics } from '../../../actors/settlement/lane-metrics.ts'
import type { LaneOptions } from '../../../actors/settlement/options.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import type { LaneHealth, LaneIntent } from '../../../src/messages/lane.ts'
import { type Lane, SUBJECTS } from '../../../src/messages/subjects.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { noMetrics } from '../no-metrics.ts'
import { FakeChain } from './fake-chain.ts'
import { job, lock } from './intents.ts'
import { JobBus } from './job-bus.ts'
import { ManualClock, rest } from './manual-clock.ts'
import { MemoryJournal } from './memory-journal.ts'

/** A lane on a chain of its own, and all that it says. */
export class LaneHouse {
  readonly chain = new FakeChain()
  readonly journal = new MemoryJournal()
  readonly clock = new ManualClock()
  readonly bus = new JobBus()
  readonly told: JobCommand[] = []
  readonly edge: unknown[] = []
  readonly healths: LaneHealth[] = []
  readonly #log = makeLog('test', 'silent')
  readonly #started: LaneActor[] = []

  constructor() {
    this.bus.subscribe('cmd.*.*.*', (message) => this.told.push(message as JobCommand))
    this.bus.subscribe('edge.*', (message) => this.edge.push(message))
    this.bus.subscribe(SUBJECTS.laneHealth, (message) => this.healths.push(message as LaneHealth))
  }

  make(lane: Lane, more: Partial<LaneOptions> = {}): LaneActor {
    const { chain, journal, clock, bus } = this
    const log = this.#log
    const metrics = makeLaneMetrics(noMetrics)
    const parts = { lane, bus, journal, writer: chain, reader: chain, clock, log, metrics }
    return makeLane({ ...parts, itemsMax: 100, confirmLockAt: 'included', ...more })
  }

  async start(lane: Lane, more: Partial<LaneOptions> = {}): Promise<LaneActor> {
    const actor = this.make(lane, more)
    this.#started.push(actor)
    await actor.start()
    await rest()
    return actor
  }

  /** Stops a lane that may be waiting for something. */
  async stop(actor: LaneActor): Promise<void> {
    const stopped = actor.stop()
    await this.clock.advance(2_000)
    await stopped
  }

  async say(...intents: LaneIntent[]): Promise<void> {
    for (const intent of intents) {
      this.bus.publish(SUBJECTS.lane(intent.type === 'lock' ? 'lock' : 'settle'), intent)
    }
    await rest()
  }

  /** Locks jobs 1 to `count` by a lane of its own that ends again. */
  async seedLocks(count: number): Promise<void> {
    const locker = await this.start('lock')
    await this.say(...Array.from({ length: count }, (_, i) => lock(job(i + 1))))
    await this.stop(locker)
    this.heard()
  }

  /** Ends every lane that was started. */
  async close(): Promise<void> {
    await Promise.all(this.#started.map((lane) => this.stop(lane)))
  }

  /** What was said since the last call, as short lines. */
  heard(): string[] {
    return this.told.splice(0).map((command) => {
      const about =
        'reason' in command ? command.reason : 'block' in command ? (command.block ?? '') : ''
      return `${command.type} ${number(command.jobId)} ${about}`
    })
  }

  /** What a lane said of itself last. */
  health(lane: Lane): LaneHealth {
    const last = this.healths.findLast((each) => each.lane === lane)
    if (!last) throw new Error(`the ${lane} lane has said nothing of itself`)
    return last
  }

  batches(): string[] {
    return this.chain.included.map((batch) =>
      batch.type === 'register'
        ? 'register'
        : `${batch.type} ${batch.items.map(({ jobId }) => number(jobId)).join(' ')}`,
    )
  }
}

/** Names tests of that suite which each have a house of their own, whose lanes end with them. */
export const inLaneHouse =
  (suite: Test) =>
  (name: string, run: (house: LaneHouse) => Promise<void>): void =>
    suite(name, async () => {
      const house = new LaneHouse()
      try {
        await run(house)
      } finally {
        await house.close()
      }
    })

export const number = (jobId: string): number =>
  Array.from({ length: 500 }, (_, n) => n).findIndex((n) => job(n) === jobId)
