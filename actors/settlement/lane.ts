import type { LaneIntent, RegisterWorker } from '../../src/messages/lane.ts'
import { type Lane, SUBJECTS } from '../../src/messages/subjects.ts'
import type { Bus, Subscription } from '../../src/ports/bus.ts'
import { inTime, pause } from '../../src/ports/clock.ts'
import { LaneConflict, NonceGap } from '../../src/ports/escrow.ts'
import { makeHealth } from './health.ts'
import { type LaneWork, makeLaneWork } from './lane-work.ts'
import type { LaneOptions } from './options.ts'
import { Stopped } from './until-chain.ts'

/** One signing key. Of all hosts, the one that owns the lane runs it. */
export interface LaneActor {
  /** Begins to work; a chain that is down is waited for in the background. */
  start(): Promise<void>
  /** Ends. What is under way is in the outbox, for the next owner. */
  stop(): Promise<void>
}

export function makeLane(options: LaneOptions): LaneActor {
  let life: Life | undefined
  return {
    start: async () => {
      life ??= begin(options)
    },
    stop: async () => {
      const ended = life
      life = undefined
      await ended?.end()
    },
  }
}

interface Life {
  end(): Promise<void>
}

/** A second writer was met: long enough for the ownership of the lane to be settled. */
const CONFLICT_PAUSE_MS = 500
/** Nodes behind one address may lag: the chain is not asked without a rest. */
const GAP_PAUSE_MS = 50
/** Longest wait for the transaction in flight when the lane ends. */
const END_MAX_MS = 1_000

function begin(options: LaneOptions): Life {
  const { lane, bus, clock, log } = options
  let alive = true
  const health = makeHealth(options)
  const work = makeLaneWork(options, health.troubles, () => alive)
  const subscriptions = subscribe(bus, lane, work)
  health.start(work.backlog)
  const running = run(work, () => alive, options)
  running.catch((error) => log.error({ err: error, lane }, 'lane: stopped by a fault'))

  return {
    end: async () => {
      alive = false
      for (const each of subscriptions) each.unsubscribe()
      health.stop()
      work.wake()
      await inTime(
        clock,
        END_MAX_MS,
        running.catch(() => {}),
      )
    },
  }
}

function subscribe(bus: Bus, lane: Lane, work: LaneWork): readonly Subscription[] {
  const hear = (message: unknown) => {
    // Only jobs publish here, one intent or several.
    const each = (Array.isArray(message) ? message : [message]) as readonly LaneIntent[]
    for (const intent of each) work.take(intent)
  }
  // Jobs of this host are heard by no other. Where it has just lost the lane, they say it again.
  const intents = bus.subscribe(SUBJECTS.lane(lane), hear, { own: true })
  if (lane === 'lock') return [intents]
  const registers = bus.subscribe(SUBJECTS.workerRegister, (message, _subject, respond) => {
    work.register(message as RegisterWorker, respond)
  })
  return [intents, registers]
}

async function run(work: LaneWork, alive: () => boolean, options: LaneOptions): Promise<void> {
  const { lane, clock, log } = options
  while (alive()) {
    try {
      await work.run()
    } catch (error) {
      if (error instanceof Stopped) return
      work.pauseTaking()
      if (error instanceof NonceGap) {
        log.warn({ err: error, lane }, 'lane: the chain has gone back, sending stored transactions')
        await pause(clock, GAP_PAUSE_MS)
        continue
      }
      const about = { err: error, lane }
      if (error instanceof LaneConflict)
        log.warn(about, 'lane: another writer took its nonce, reloading')
      else log.error(about, 'lane: a fault, reloading')
      work.forgetAll()
      await pause(clock, CONFLICT_PAUSE_MS)
    }
  }
}
