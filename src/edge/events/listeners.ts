import type { Address } from '../../domain/ids.ts'
import { SUBJECTS } from '../../messages/subjects.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Registry } from '../../ports/registry.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Listener } from './listener.ts'

/** Of one wallet, at one edge. */
export const LISTENERS_PER_WALLET = 10
/** An entry of the bucket lives for a minute. */
const REFRESH_MS = 20_000

/** All who listen at this edge. */
export interface Listeners {
  isFull(wallet: Address): boolean
  /** Resolves once the events of the wallet are told of. @throws the store refuses */
  announce(wallet: Address): Promise<void>
  /** Pokes the listener at news until it has ended; at once where all have been ended. */
  run(wallet: Address, listener: Listener): Promise<void>
  /** Ends all. */
  stop(): void
}

interface Options {
  /** Bucket LISTENERS: events of jobs are told only where somebody asks for them. */
  readonly listeners: Registry
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
}

export function makeListeners({ listeners: registry, bus, clock, log }: Options): Listeners {
  const open = new Map<Address, Set<Listener>>()
  let stopped = false
  const pokeAll = (those: Iterable<Listener>) => {
    for (const listener of those) listener.poke()
  }
  const workers = bus.subscribe(SUBJECTS.workerFacts, () => {
    for (const those of open.values()) pokeAll(those)
  })
  const announce = (wallet: Address) => registry.set(wallet, { at: clock.now() })
  const announceAll = () => {
    for (const wallet of open.keys()) {
      announce(wallet).catch((error: unknown) => {
        log.warn({ err: error, wallet }, 'events: a listener could not be announced')
      })
    }
  }
  const stopRefreshing = clock.every(REFRESH_MS, announceAll)
  // Cut off for long, they were forgotten: what happens from now on would not be told.
  bus.onConnection((connected) => {
    if (connected) announceAll()
  })
  return {
    isFull: (wallet) => (open.get(wallet)?.size ?? 0) >= LISTENERS_PER_WALLET,
    announce,
    run: async (wallet, listener) => {
      const those = open.get(wallet) ?? new Set()
      open.set(wallet, those.add(listener))
      const own = bus.subscribe(SUBJECTS.factsOf(wallet), () => listener.poke())
      try {
        // Its request came in time, and it was looked where its stream begins.
        if (stopped) listener.end()
        await listener.run()
      } finally {
        own.unsubscribe()
        those.delete(listener)
        if (those.size === 0) open.delete(wallet)
      }
    },
    stop: () => {
      stopped = true
      workers.unsubscribe()
      stopRefreshing()
      for (const those of open.values()) for (const listener of those) listener.end()
    },
  }
}
