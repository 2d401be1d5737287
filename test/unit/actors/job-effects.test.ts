import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { jobKind } from '../../../actors/job/actor.ts'
import type { JobEffect } from '../../../actors/job/due.ts'
import type { JobEvent } from '../../../actors/job/events.ts'
import { evolve, type Job } from '../../../actors/job/state.ts'
import { endingOf } from '../../../actors/job/view.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import type { OfferJob, OfferReply } from '../../../src/messages/pool.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'
import {
  answered,
  disputed,
  disputeWindowMs,
  failed,
  hash,
  jobId,
  locked,
  offered,
  openDispute,
  otherHash,
  otherTx,
  paid,
  started,
  terms,
  tx,
  upheld,
  wallet,
  worker,
} from './given.ts'
import { stageJobs } from './job-stage.ts'

/** What a job asks of lanes, pools and edges, word for word: each pays or returns credits, or tells who waits. */
const Effects = suite('job: what it asks of others')

interface Scene {
  readonly isWatched?: boolean
  readonly goneEdge?: string
  readonly reply?: OfferReply
}

/** Carries an effect out. @returns all that was said, and what the job told itself */
async function carryOut(
  effect: Pick<JobEffect, 'type'> & Partial<JobEffect>,
  past: readonly JobEvent[],
  { isWatched = false, goneEdge, reply = { type: 'taken' } }: Scene = {},
) {
  const { bus, clock, ledger, pools } = stageJobs()
  const said: unknown[] = []
  for (const subject of [SUBJECTS.lane('lock'), SUBJECTS.lane('settle'), terms.replyTo]) {
    bus.subscribe(subject, (messages) => said.push(...(messages as unknown[])))
  }
  bus.subscribe(SUBJECTS.pool('pool-1'), (message, _subject, respond) => {
    said.push(message)
    respond(reply)
  })
  const around = {
    keyProofs: { holds: () => true },
    joinClaims: { claim: async () => undefined },
    isWatched: () => isWatched,
  }
  const edges = { isGone: (inbox: string) => inbox === goneEdge } as never
  const kind = jobKind({ bus, clock, ledger, pools, edges, ...around }, { disputeWindowMs })
  const job = past.reduce<Job | undefined>(evolve, undefined)!
  const told: JobCommand[] = []
  await kind.run({ key: effect.type, ...effect } as JobEffect, job, {
    tell: (command) => void told.push(command),
  })
  await rest()
  return { said, told, job, released: ledger.released, now: clock.now() }
}

Effects('a settlement: what the worker signed, for the edge that waits', async () => {
  const { said } = await carryOut({ type: 'settle' }, answered)
  const completion = {
    ...{ jobId, outputHash: hash, outputTokens: 600, completedAt: 1_800_000_001 },
  }
  const signature = { r: tx, vs: otherTx }
  const notify = terms.replyTo
  assert.equal(said, [{ type: 'settle', jobId, completion, workerId: 3, signature, notify }])
  assert.equal((await carryOut({ type: 'settle' }, [started, locked])).said, [])
})

Effects(
  'a lock: for its price; once there is an answer, though it was refused before',
  async () => {
    const lock = { type: 'lock', jobId, wallet, credits: 12n, tier: 'standard' }
    for (const abandon of [false, true]) {
      const effect = { type: 'lock', abandon } as const
      assert.equal((await carryOut(effect, [started])).said, [{ ...lock, abandon }])
      assert.equal((await carryOut(effect, answered)).said, [{ ...lock, abandon, again: true }])
    }
  },
)

Effects('a refund, and a dispute with the hash that is claimed, as long as it is one', async () => {
  const refund = await carryOut({ type: 'refund' }, [started, locked, failed])
  assert.equal(refund.said, [{ type: 'refund', jobId }])
  const dispute = await carryOut({ type: 'dispute' }, [...paid, disputed])
  assert.equal(dispute.said, [{ type: 'dispute', jobId, claimedHash: otherHash }])
  const over = await carryOut({ type: 'dispute' }, [...paid, disputed, openDispute, upheld])
  assert.equal(over.said, [])
})

Effects(
  'an offer: what a pool needs; who took it may be told late where nobody waits for it',
  async () => {
    const effect = { type: 'offer', poolId: 'pool-1', attempt: 2 } as const
    const refusals: JobEvent[] = [
      { type: 'OfferFailed', excludePool: false, workers: [worker], contextAbove: 4_096 },
      offered,
    ]
    const { said, told, now } = await carryOut(effect, [started, locked, offered, ...refusals])
    const { model, outputTokensMax, deadlineAt, replyTo } = terms
    assert.equal(told, [])
    assert.equal(said, [
      {
        ...{ type: 'OfferJob', jobId, attempt: 2, wallet, model, outputTokensMax, deadlineAt },
        ...{ replyTo, escrowTx: tx, exclude: [worker], sentAt: now, assignLate: false },
        contextAbove: 4_096,
      },
    ])
    const plain: JobEvent = { type: 'JobStarted', terms: { ...terms, stream: false } }
    const late = async (first: JobEvent, isWatched: boolean) => {
      const [offer] = (await carryOut(effect, [first, locked, offered], { isWatched })).said
      return (offer as OfferJob).assignLate
    }
    assert.equal(
      [await late(plain, false), await late(plain, true), await late(started, true)],
      [true, false, false],
    )
  },
)

Effects('an offer that the pool refuses: the job tells itself why', async () => {
  const effect = { type: 'offer', poolId: 'pool-1', attempt: 1 } as const
  const reply: OfferReply = { type: 'refused', reason: 'no_worker' }
  const { told, now } = await carryOut(effect, [started, locked, offered], { reply })
  assert.equal(told, [{ type: 'RefuseOffer', jobId, attempt: 1, reason: 'no_worker', at: now }])
})

Effects('no offer is made before its lock, nor after its end', async () => {
  const effect = { type: 'offer', poolId: 'pool-1', attempt: 1 } as const
  for (const past of [[started], answered, [started, locked, offered, failed]])
    assert.equal((await carryOut(effect, past)).said, [])
})

Effects(
  'an edge that is gone has nobody to answer: the job is cancelled for it alone',
  async () => {
    const running = [started, locked, offered]
    const { replyTo } = terms
    const { told, now } = await carryOut({ type: 'watch_edge' }, running, { goneEdge: replyTo })
    assert.equal(told, [{ type: 'CancelJob', jobId, replyTo, at: now }])
    assert.equal(
      (await carryOut({ type: 'watch_edge' }, running, { goneEdge: 'edge.e2' })).told,
      [],
    )
  },
)

Effects('who waits is told the end, and of none before it', async () => {
  const { said, job } = await carryOut({ type: 'tell_edge' }, [started, locked, failed])
  assert.equal(said, [endingOf(job)])
  assert.equal((await carryOut({ type: 'tell_edge' }, [started, locked])).said, [])
})

Effects('what was set aside for it is given free, also where it never began', async () => {
  assert.equal((await carryOut({ type: 'release' }, [started, locked])).released, [jobId])
  const abandoned: JobEvent = { type: 'JobAbandoned', jobId, wallet }
  assert.equal((await carryOut({ type: 'release' }, [abandoned])).released, [jobId])
})

Effects.run()
