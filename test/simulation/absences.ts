import type { DurationMs } from '../../src/domain/time.ts'
import type { SimChain } from './chain/chain.ts'
import type { Kernel } from './kernel.ts'
import type { Full, SimNats } from './nats/server.ts'
import type { Processes } from './processes.ts'
import type { Random } from './world.ts'

/** Something is away for longer than any deadline of a job, a lock or a voucher. */
export type Absence =
  | { readonly of: 'nobody' }
  /** The machine sleeps: clocks go on, and nothing else. On others the chain may go on meanwhile. */
  | { readonly of: 'all'; readonly spanMs: DurationMs; readonly chainGoesOn: boolean }
  | { readonly of: 'hosts' | 'nats' | 'redis' | 'chain'; readonly spanMs: DurationMs }
  /** NATS is there, and takes nothing more. */
  | { readonly of: 'room'; readonly full: Full; readonly spanMs: DurationMs }

const SLEEPS = 0.03
/** Each second of these is lived, by few processes: such a life costs as much as ten others. */
const OUTAGES = 0.006
const OUTAGE_MS = [130_000, 320_000] as const
const ROOMLESS = 0.003
const ROOMLESS_MS = [180_000, 600_000] as const
const FULL: readonly Full[] = ['server', 'server', 'JOB', 'TX']
const MINUTE_MS = 60_000
/** Beyond a job's window, the time of a lock, a voucher; arbitration; shorter than a journal remembers. */
const SLEEP_MS = [2, 5, 5, 20, 3 * 60, 30 * 60, 6 * 24 * 60].map((minutes) => minutes * MINUTE_MS)
const BLOCKS_MEANWHILE = 6

export function planAbsence(random: Random): Absence {
  if (random.chance(ROOMLESS)) {
    return { of: 'room', full: random.pick(FULL), spanMs: random.between(...ROOMLESS_MS) }
  }
  if (random.chance(OUTAGES)) {
    const of = random.pick(['hosts', 'nats', 'redis', 'chain'] as const)
    return { of, spanMs: random.between(...OUTAGE_MS) }
  }
  if (!random.chance(SLEEPS)) return { of: 'nobody' }
  return { of: 'all', spanMs: random.pick(SLEEP_MS), chainGoesOn: random.chance(0.5) }
}

/** @returns how long it takes of a life, without what is slept through */
export const livedMs = (absence: Absence): DurationMs =>
  absence.of === 'nobody' || absence.of === 'all' ? 0 : absence.spanMs

interface Around {
  readonly processes: Processes
  readonly chain: SimChain
  readonly nats: SimNats
}

/** Begins now; what is away comes back by itself. */
export function beginAbsence(
  kernel: Kernel,
  absence: Absence,
  { processes, chain, nats }: Around,
): void {
  if (absence.of === 'nobody') return
  const { of, spanMs } = absence
  kernel.history.add('world', `${of} away for ${spanMs / 1_000} s`)
  if (of === 'all') {
    sleep(kernel, absence, processes, chain)
    return
  }
  // Else processes die in it by the hundred.
  kernel.faults.calm()
  if (of === 'room') {
    nats.full = absence.full
    kernel.after(spanMs, () => {
      nats.full = undefined
    })
    return
  }
  const { names } = processes
  if (of === 'hosts') {
    const hosts = names.filter((name) => name.startsWith('host-'))
    for (const name of hosts) processes.takeAway(name)
    kernel.after(spanMs, () => {
      for (const name of hosts) processes.bringBack(name)
    })
    return
  }
  const joins = names.map((name) => kernel.faults.separate(name, of))
  kernel.after(spanMs, () => {
    for (const join of joins) join()
  })
}

function sleep(
  kernel: Kernel,
  { spanMs, chainGoesOn }: Extract<Absence, { of: 'all' }>,
  processes: Processes,
  chain: SimChain,
): void {
  if (!chainGoesOn) {
    kernel.leap(spanMs)
    return
  }
  const asleep = processes.names.flatMap((name) => processes.node(name) ?? [])
  for (const node of asleep) node.pause()
  const step = (left: number) => {
    if (left === 0) {
      for (const node of asleep) node.resume()
      return
    }
    kernel.leap(spanMs / BLOCKS_MEANWHILE)
    chain.turn()
    kernel.after(1, () => step(left - 1))
  }
  step(BLOCKS_MEANWHILE)
}
