import type { JobId } from '../../../src/domain/ids.ts'
import { partitionOf } from '../../../src/messages/partitions.ts'
import { type Lane, SUBJECTS } from '../../../src/messages/subjects.ts'
import type { Bus } from '../../../src/ports/bus.ts'
import type { Ledger } from '../../../src/ports/ledger.ts'

/** What a host speaks through in the name of its jobs. */
interface Voices {
  readonly bus: Bus
  readonly ledger: Ledger
}

interface Said {
  readonly type: string
  readonly jobId: JobId
}

const COMMANDS = /^cmd\.(\d+)\./
const LANES = new Set((['lock', 'settle'] satisfies Lane[]).map(SUBJECTS.lane))
const TO_POOLS = new Set(['OfferJob', 'StopJob'])

/**
 * The same voices, listened to: once a host has ceased to answer for a partition, it starts nothing more
 * for the jobs in it. What was due before may still leave in the same turn.
 */
export function listenToGivenUp({ bus, ledger }: Voices, fail: (what: string) => void): Voices {
  const held = new Map<number, object>()
  /** The account's sweeper gives back, in its own name, what a job that it woke has told it of. */
  const woken = new Set<JobId>()

  const hear = (what: string, jobId: JobId) => {
    const partition = partitionOf(jobId)
    if (!held.has(partition)) fail(`${what} for ${jobId}, whose partition ${partition} it gave up`)
  }

  const subscribe: Bus['subscribe'] = (subject, handler, options) => {
    const subscription = bus.subscribe(subject, handler, options)
    const number = COMMANDS.exec(subject)?.[1]
    if (number === undefined) return subscription
    const [partition, tenure] = [Number(number), {}]
    held.set(partition, tenure)
    return {
      unsubscribe: () => {
        subscription.unsubscribe()
        // Behind what this turn has said already.
        setImmediate(() => held.get(partition) === tenure && held.delete(partition))
      },
    }
  }

  return {
    bus: around(bus, {
      subscribe,
      publish: (subject, message) => {
        // The keeper asks for the end of a lock too, in a message of its own.
        if (LANES.has(subject) && Array.isArray(message)) {
          for (const { type, jobId } of message as Said[]) hear(`asks to ${type}`, jobId)
        }
        bus.publish(subject, message)
      },
      request: (subject, message, ...rest) => {
        const { type, jobId } = message as Partial<Said>
        if (jobId && type === 'AbandonJob') woken.add(jobId)
        if (jobId && type !== undefined && TO_POOLS.has(type)) hear(`says ${type}`, jobId)
        return bus.request(subject, message, ...rest)
      },
    }),
    ledger: around(ledger, {
      release: (wallet, jobId, ...rest) => {
        if (!woken.has(jobId)) hear('releases credits', jobId)
        return ledger.release(wallet, jobId, ...rest)
      },
    }),
  }
}

/** `whole`, with some of it replaced. */
const around = <T extends object>(whole: T, part: Partial<T>): T =>
  new Proxy(whole, {
    get: (target, key) => Reflect.get(key in part ? part : target, key),
  })
