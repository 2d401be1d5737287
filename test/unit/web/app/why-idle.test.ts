import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inShort } from '../../../../src/web/app/pages/workers/in-short.ts'
import { whyIdle } from '../../../../src/web/app/pages/workers/why-idle.ts'
import type { WebModelStanding, WebStanding } from '../../../../src/web/workers-api.ts'

/** What a worker's operator is told about why it has no jobs. */
const WhyIdle = suite('why a worker has no jobs')

const model: WebModelStanding = {
  ...{ id: 'a/model', workers: 3, slots: 12, busy: 2, queued: 0, jobs_per_minute: 0 },
  ...{ first_token_ms: 210, rank: 2, ranked: 3 },
}
const ready: WebStanding = {
  ...{ pool: 'one', state: 'ready', resting_until: null, because: null, failures_in_row: 0 },
  ...{ callers_kept: 0, slots: 4, busy: 0, completion_rate: 1 },
  jobs: { offered: 1, finished: 1, failed: 0, refused: 0 },
  ...{ models: [model], awaited: [], left_out: [] },
  ...{ software: 'prepaid-inference-agent/0.1.0, engine', agent_latest: '0.1.0' },
}
const reasons = (change: Partial<WebStanding>) =>
  whyIdle({ pools_asked: 1, pools_silent: 0, data: [{ ...ready, ...change }] })
const whys = (change: Partial<WebStanding>) => reasons(change).map(({ why }) => why)

WhyIdle('at no pool: says so, and whether some did not answer', () => {
  const nowhere = (pools_silent: number) => whyIdle({ pools_asked: 2, pools_silent, data: [] })
  assert.equal(nowhere(0)[0]?.why, 'It is connected to no pool.')
  assert.match(nowhere(1)[0]?.why ?? '', 'One pool did not answer.')
})

WhyIdle('no demand, or demand that others serve', () => {
  assert.equal(whys({}), ['Nobody asked its pool for a/model in the last minute.'])
  const [busy] = reasons({ models: [{ ...model, jobs_per_minute: 1, queued: 2 }] })
  assert.is(
    busy?.why,
    'a/model: 1 job in the last minute, 2 waiting; 3 workers serve it, with 2 of 12 slots busy.',
  )
  assert.is(busy?.todo, 'By time to the first token it is number 2 of 3, with 210 ms.')
  const [unmeasured] = reasons({ models: [{ ...model, jobs_per_minute: 9, rank: 0 }] })
  assert.match(unmeasured?.todo ?? '', 'not measured yet')
})

WhyIdle('set aside: why, and until when', () => {
  const until = '2027-01-15T08:00:00.000Z'
  const resting = (because: WebStanding['because'], failures_in_row = 0) =>
    reasons({ state: 'resting', resting_until: until, because, failures_in_row })[0]
  assert.equal(resting('failed', 3)?.why, 'Its last 3 jobs failed.')
  assert.equal(resting('failed', 1)?.why, 'Its last job failed.')
  assert.match(resting('busy')?.todo ?? '', '--slots')
  for (const because of ['busy', 'silent', 'failed', 'broke_rules', 'other', null] as const) {
    assert.is(resting(because)?.until, until)
  }
})

WhyIdle('what keeps it from some jobs comes before what nobody can change', () => {
  const all = whys({
    ...{ state: 'draining', completion_rate: 0.5, callers_kept: 2, agent_latest: '0.2.0' },
    left_out: [{ id: 'gone/model', reason: 'retired' }],
    awaited: [{ id: 'new/model', failures: 2, next_at: null }],
  })
  assert.equal(all, [
    'It, or its pool, is shutting down.',
    'A vote has retired gone/model.',
    'It gets no jobs of new/model: its unpaid first job failed 2 times.',
    'It finished only 50 % of its last jobs (0 failed, 0 refused since it connected).',
    'It is kept from the jobs of 2 callers for a while, since theirs failed here.',
    'Nobody asked its pool for a/model in the last minute.',
    'It runs prepaid-inference-agent/0.1.0, engine; the newest agent is 0.2.0.',
  ])
})

WhyIdle('a worker that is another program is not told to update an agent that it is not', () => {
  const version = (software: string) =>
    whys({ software, agent_latest: '0.1.0' }).filter((why) => why.startsWith('It runs'))
  assert.equal(version('prepaid-inference-agent/0.1.0, vllm 0.9'), [])
  assert.equal(version('go-worker 2.3, vllm 0.9'), [])
  assert.is(version('prepaid-inference-agent/0.0.9, engine 0.1.0').length, 1)
  assert.is(version('prepaid-inference-agent/0.1.0-rc, engine').length, 1)
})

WhyIdle('in one line: what it does, or what keeps it from all jobs', () => {
  const line = (change: Partial<WebStanding>) =>
    inShort({ pools_asked: 1, pools_silent: 0, data: [{ ...ready, ...change }] })
  assert.is(line({}), '0 of 4 slots busy · 1 job finished since it connected')
  const some = { offered: 5, finished: 3, failed: 2, refused: 0 }
  assert.is(
    line({ jobs: some, busy: 1 }),
    '1 of 4 slots busy · 3 jobs finished, 2 failed since it connected',
  )
  assert.is(line({ state: 'resting', because: 'silent' }), 'It did not answer an offer in time.')
  const left_out = [{ id: 'no/such', reason: 'not_listed' }] as const
  assert.is(line({ models: [], left_out }), 'The registry does not list no/such.')
  assert.is(inShort({ pools_asked: 1, pools_silent: 0, data: [] }), 'It is connected to no pool.')
})

WhyIdle.run()
