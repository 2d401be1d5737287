import type { DurationMs } from '../../src/domain/time.ts'
import type { LaneIntent, RegisterReply, RegisterWorker } from '../../src/messages/lane.ts'
import type { Lane } from '../../src/messages/subjects.ts'
import { type Clock, pause } from '../../src/ports/clock.ts'
import type { Batch } from '../../src/ports/escrow.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { Backlog } from './health.ts'
import { makeLocksBack } from './locks-back.ts'
import type { LaneOptions } from './options.ts'
import { makeOutbox } from './outbox.ts'
import { backlogOf, emptyQueue, forgetUnderWay, type LaneQueue, takeIntent } from './queue.ts'
import { RegistrationBudget } from './registration-budget.ts'
import { makeRegistrations, type Registrations } from './registrations.ts'
import { makeRest } from './rest.ts'
import { makeSubmitter, type Place, type Submitter } from './submitter.ts'
import { makeTeller, type Teller } from './tell.ts'
import type { Troubles } from './troubles.ts'
import { makeUnread } from './unread.ts'
import { makeUntilChain, unlessStopped } from './until-chain.ts'

/** The lane's memory and its one transaction at a time. */
export interface LaneWork {
  take(intent: LaneIntent): void
  register(wish: RegisterWorker, respond: (reply: RegisterReply) => void): void
  /** Recovers, then sends batch after batch until stopped or until something throws. */
  run(): Promise<void>
  wake(): void
  backlog(): Backlog
  /** Intents wait unread until the outbox has been read again. */
  pauseTaking(): void
  forgetAll(): void
}

/** So often a lane with nothing to send looks whether the chain has gone back behind it. */
const LOOK_MS = 1_000
/**
 * Where so many jobs go at a time, more do in the next moment: they go together, which costs less gas
 * each, and less work. From the beginning of one transaction to that of the next, at least. Longer is
 * not cheaper: whoever waits for an answer waits for the lock, and for the settlement's hash, too.
 */
const GATHER: Partial<Record<Batch['type'], { readonly from: number; readonly ms: DurationMs }>> = {
  lock: { from: 8, ms: 10 },
  settle: { from: 16, ms: 40 },
}

export function makeLaneWork(
  options: LaneOptions,
  troubles: Troubles,
  alive: () => boolean,
): LaneWork {
  const { lane, bus, clock, log, confirmLockAt } = options
  const untilChain = makeUntilChain({ clock, log, alive, troubles })
  const teller = makeTeller({ bus, clock, confirmLockAt })
  const writerId = Buffer.from(clock.randomBytes(8)).toString('hex')
  const { reader, writer, journal } = options
  const outboxOf = (lane: Lane) => makeOutbox({ lane, journal, isOwn: writer.isOwn }, writerId)
  const [outbox, lockOutbox] = [outboxOf(lane), outboxOf('lock')]
  const locksBack = makeLocksBack({ lockOutbox, writer, reader, untilChain, clock, log })
  // Beside what is forgotten after a fault: a fault is no new budget.
  const budget = new RegistrationBudget(options.registrationsPerHour ?? 0, clock)
  let memory = remember()
  const unread = makeUnread(clock)
  const rest = makeRest(clock)
  let ready = false

  function remember(): Memory {
    const queue = emptyQueue()
    const registrations = makeRegistrations({ queue, reader, untilChain, budget })
    const memory = { queue, registrations, outbox, locksBack }
    const around = { teller, untilChain, troubles }
    const submitter = makeSubmitter({ ...options, ...memory, ...around })
    return { queue, registrations, submitter }
  }
  const take = (intent: LaneIntent) => {
    if (!ready) unread.add(intent)
    else if (takeIn(memory, intent, { teller, clock, wake: rest.wake, lane, log })) rest.wake()
  }

  const gather = async ({ type, items }: Batch, startedAt: number) => {
    const rule = GATHER[type]
    if (!rule || items.length < rule.from) return
    const { queue, submitter } = memory
    const isNextFull = queue.waiting[type].size >= submitter.itemsMax(type)
    const leftMs = startedAt + rule.ms - clock.monotonic()
    if (!isNextFull && leftMs > 0) await pause(clock, leftMs)
  }

  return {
    take,
    register: (wish, respond) => {
      memory.registrations
        .ask(wish, respond)
        .then((needed) => needed && rest.wake())
        .catch(unlessStopped(log, lane, 'question not answered'))
    },
    run: async () => {
      let place: Place = await memory.submitter.recover()
      ready = true
      for (const intent of unread.takeAll()) take(intent)
      memory.submitter
        .lookBehind(place)
        .then((any) => any && rest.wake())
        .catch(unlessStopped(log, lane, 'what is stored was not looked for'))
      while (alive()) {
        const batch = memory.submitter.next()
        if (batch) {
          const startedAt = clock.monotonic()
          place = await memory.submitter.submit(batch, place)
          await gather(batch, startedAt)
        } else if ((await rest.until(LOOK_MS)) === 'rested') await memory.submitter.check(place)
      }
    },
    wake: rest.wake,
    backlog: () => {
      const known = backlogOf(memory.queue)
      if (unread.count === 0) return known
      const oldestAt = Math.min(known.oldestAt ?? unread.since, unread.since)
      return { count: known.count + unread.count, oldestAt }
    },
    pauseTaking: () => {
      ready = false
      forgetUnderWay(memory.queue)
    },
    forgetAll: () => {
      memory = remember()
      unread.takeAll()
    },
  }
}

interface Memory {
  readonly queue: LaneQueue
  readonly registrations: Registrations
  readonly submitter: Submitter
}

interface Around {
  readonly teller: Teller
  readonly clock: Clock
  readonly wake: () => void
  readonly lane: Lane
  readonly log: Log
}

/** @returns whether something new waits */
function takeIn(
  { queue, submitter }: Memory,
  intent: LaneIntent,
  { teller, clock, wake, lane, log }: Around,
): boolean {
  const answer = takeIntent(queue, intent, clock.monotonic())
  if (answer.type === 'tell') teller.outcome(answer.outcome, intent.type)
  else if (answer.type === 'ask_chain') {
    submitter
      .askChain(intent, answer.notBefore)
      .then((needed) => needed && wake())
      .catch(unlessStopped(log, lane, 'question not answered'))
  }
  return answer.type === 'wait'
}
