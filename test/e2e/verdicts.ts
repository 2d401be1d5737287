import * as assert from 'uvu/assert'
import { until } from '../until.ts'
import { lockedJobs, type Seen } from './books.ts'
import {
  type Call,
  getJob,
  hashOf,
  type Reached,
  type Refused,
  untilStatus,
  type Whole,
} from './calls.ts'
import type { JobOnChain } from './chain-ledger.ts'

/** What the caller saw, what the job says of itself, and what is on chain are one story. */
export async function agrees(
  network: Reached,
  call: Call,
  jobs: ReadonlyMap<string, JobOnChain>,
): Promise<void> {
  if (call.type === 'broken' || call.jobId === null) return
  const end = jobs.get(call.jobId)?.end
  if (call.type === 'refused' && call.error.code === 'service_unavailable' && !end) return
  if (call.type === 'whole') {
    const job = await untilStatus(network, call.jobId, 'settled')
    assert.is(job.on_chain.proof_hash, hashOf(call.text))
    assert.is(end?.type === 'settled' && end.charged, BigInt(job.credits_charged))
  } else {
    const job = await ended(network, call.jobId)
    assert.ok(['failed', 'refunded'].includes(job.status), `${told(call)} of a ${job.status} job`)
    assert.ok(!end || end.type === 'refunded', `${job.id} is ${end?.type}`)
  }
}

/** A job hears of its end by another way than its caller and the chain. */
const ended = (network: Reached, id: string) =>
  until(`the end of ${id}`, async () => {
    const job = await getJob(network, id)
    return ['failed', 'refunded', 'settled'].includes(job.status) && job
  })

/** Every call, a few at a time. */
export async function allAgree(
  network: Reached,
  calls: readonly Call[],
  jobs: ReadonlyMap<string, JobOnChain>,
): Promise<void> {
  const rest = calls.values()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const call of rest) await agrees(network, call, jobs)
    }),
  )
}

export const told = (call: Call): string => JSON.stringify(call)

export function whole(call: Call): Whole {
  if (call.type !== 'whole') throw new Error(`not a whole answer: ${told(call)}`)
  return call
}

export function refused(call: Call): Refused {
  if (call.type !== 'refused') throw new Error(`not refused: ${told(call)}`)
  return call
}

/** Waits for so many locks on chain that were not there `before`. @returns the ids of their jobs */
export const untilLocked = (
  network: Seen,
  before: ReadonlyMap<string, JobOnChain>,
  count: number,
): Promise<string[]> =>
  until(`${count} locks`, async () => {
    const ids = [...(await lockedJobs(network)).keys()].filter((id) => !before.has(id))
    return ids.length === count ? ids : undefined
  })

/** How many calls ended in each way, for the record of a run. */
export function tally(calls: readonly Call[]): string {
  const counts = new Map<string, number>()
  for (const call of calls) {
    const code = 'error' in call ? ` ${call.error.code}` : ''
    const what = `${call.type}${code}`
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  const slowest = Math.max(...calls.map(({ tookMs }) => tookMs))
  const shares = [...counts].map(([what, count]) => `${count} ${what}`).join(', ')
  return `${shares}; slowest ${Math.round(slowest)} ms`
}
