import * as assert from 'uvu/assert'
import type { Balancer } from '../cluster/balancer.ts'
import { startLoad } from '../cluster/steady-load.ts'
import type { Network, Role } from '../network/network.ts'
import { until } from '../until.ts'
import { audit } from './books.ts'
import { type Call, MODEL } from './calls.ts'
import { startsOf, untilServed } from './until.ts'
import { allAgree, tally, told } from './verdicts.ts'

/** How long a process may take until it is back, on a machine that does much else. */
export const BACK_MS = 180_000
const BOOKS_MS = 45_000
const AT_ONCE = 8
/** Calls between two restarts, so that each process serves before the next one goes. */
const BETWEEN = 6

/** Waits until so many more calls are over. */
export type More = () => Promise<void>

interface Stage {
  readonly network: Network
  readonly balancer: Balancer
}

/** Ends a process in order, and waits as an orchestrator does: two edges ready, four workers at work. */
export async function restart(
  { network, balancer }: Stage,
  role: Role,
  index: number,
  more: More,
): Promise<void> {
  const starts = startsOf(network, role, index)
  network.kill(role, 'SIGTERM', index)
  await until(`${role} is back`, async () => startsOf(network, role, index) > starts, BACK_MS)
  await balancer.untilReady(2, BACK_MS)
  await untilServed(network, MODEL, 4, BACK_MS)
  await more()
}

/** Changes a network while requests never stop; then books and every answer must agree. */
export async function underLoad(
  { network, balancer }: Stage,
  what: string,
  change: (more: More) => Promise<void>,
): Promise<readonly Call[]> {
  const load = startLoad(network, { atOnce: AT_ONCE, edge: balancer.next })
  const more = async () => {
    const from = load.calls.length
    await until(`${BETWEEN} more calls`, () => load.calls.length >= from + BETWEEN, BACK_MS)
  }
  try {
    await more()
    await change(more)
  } finally {
    await load.end()
  }
  process.stdout.write(`  ${what}: ${tally(load.calls)}\n`)
  const { jobs } = await audit(network, BOOKS_MS)
  await allAgree(network, load.calls, jobs)
  return load.calls
}

export function allWhole(calls: readonly Call[]): void {
  const failed = calls.filter(({ type }) => type !== 'whole')
  assert.is(failed.length, 0, failed.slice(0, 5).map(told).join('\n'))
}
