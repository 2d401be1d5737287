import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JobEvent } from '../../../actors/job/events.ts'
import { happeningsOf } from '../../../actors/job/facts.ts'
import type { Job } from '../../../actors/job/state.ts'
import { viewOf } from '../../../actors/job/view.ts'
import { JobFactTeller } from '../../../actors/job-facts/teller.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import type { Log } from '../../../src/telemetry/log.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { ToldFacts } from '../../fakes/chain/told-facts.ts'
import { answered, given, jobId, locked, paid, started, wallet, worker } from '../actors/given.ts'

function house({ asked = true } = {}) {
  const facts = new ToldFacts()
  const clock = new ManualClock()
  const interest = { asked }
  const warnings: string[] = []
  const log = { warn: (_about: object, words: string) => warnings.push(words) } as unknown as Log
  const teller = new JobFactTeller<Job>({
    facts,
    clock,
    interest: { of: () => interest.asked, stop: () => {} },
    walletOf: (job) => (job.status === 'abandoned' ? undefined : job.terms.wallet),
    viewOf: (job) => (job.status === 'abandoned' ? undefined : viewOf(job)),
    happeningsOf,
    remaining: async () => toCredits(41),
    escrowAddress: worker,
    log,
  })
  let sequence = 0
  const becomes = async (...past: readonly JobEvent[]) => {
    teller.changed(jobId, ++sequence, given(...past).job!)
    await rest()
  }
  const types = () => facts.told.map(({ type }) => type)
  return { facts, clock, interest, teller, warnings, becomes, types }
}

const Teller = suite('facts of jobs')

Teller('each is told once, as it happens', async () => {
  const { becomes, types, teller } = house()
  await becomes(started)
  await becomes(started, locked)
  await becomes(started, locked)
  await becomes(...answered)
  await becomes(...paid)
  assert.equal(types(), ['job.submitted', 'job.processing', 'job.completed'])
  assert.is(teller.oldestPending, Number.POSITIVE_INFINITY)
})
Teller('states that nobody saw: what they brought is told all the same', async () => {
  const { becomes, facts } = house()
  await becomes(...paid)
  const [, , completed] = facts.told
  assert.is(facts.told.length, 3)
  assert.ok(completed?.type === 'job.completed')
  assert.is(completed.data.credits_remaining, 41)
  assert.is(completed.wallet, wallet)
})
Teller('a wallet that nobody asks for costs nothing', async () => {
  const { becomes, types, interest } = house({ asked: false })
  await becomes(started, locked)
  assert.equal(types(), [])
  interest.asked = true
  await becomes(...answered)
  assert.equal(types(), ['job.submitted', 'job.processing'])
})
Teller('until it is stored, no checkpoint passes it, and it is told in order', async () => {
  const { becomes, types, facts, teller, clock } = house()
  facts.failing = true
  await becomes(started)
  await becomes(started, locked)
  await becomes(...answered)
  assert.is(teller.oldestPending, 2)
  facts.failing = false
  await clock.advance(5_000)
  assert.equal(types(), ['job.submitted', 'job.processing'])
  assert.is(teller.oldestPending, Number.POSITIVE_INFINITY)
})
Teller('that they cannot be told now is logged once in ten seconds', async () => {
  const { becomes, facts, clock, warnings } = house()
  facts.failing = true
  await becomes(...paid)
  await clock.advance(9_000)
  assert.is(warnings.length, 1)
  await clock.advance(4_000)
  assert.is(warnings.length, 2)
})
Teller('another host tells the same again, under the same ids', async () => {
  const [one, other] = [house(), house()]
  await one.becomes(started, locked)
  await other.becomes(...paid)
  assert.is(one.facts.told[0]?.id, other.facts.told[0]?.id)
  assert.match(one.facts.told[0]!.id, /^evt_[0-9a-f]{32}$/)
})

Teller.run()
